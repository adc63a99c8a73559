"""Examples by a similarity that is given: which ones, and in which order."""

from __future__ import annotations

import numpy as np
import pytest

from spiqa_tasks.benchmarks.scifibench.questions import Figure, Question
from spiqa_tasks.benchmarks.scifibench.shots import caption_similarities, similar_shots
from spiqa_tasks.errors import DataError


def question(number: int, caption: str = "") -> Question:
    captions = (caption or f"caption {number}", f"distractor {number}")
    return Question(
        "CS_Figure2Caption", str(number), "Which?", ("A", "B"), captions, "A", "cs", (Figure(f"digest {number}", ""),)
    )


SIMILARITIES = np.array(
    [
        [1.0, 0.2, 0.9, 0.5],
        [0.2, 1.0, 0.1, 0.3],
        [0.9, 0.1, 1.0, 0.4],
        [0.5, 0.3, 0.4, 1.0],
    ]
)


def test_the_most_similar_example_comes_last() -> None:
    """The highest similarities are taken, in rising order, so that the nearest example stands next to the question."""
    shots = similar_shots([question(number) for number in range(4)], 2, SIMILARITIES)
    assert [[shot.id for shot in shown] for shown in shots] == [["3", "2"], ["0", "3"], ["3", "0"], ["2", "0"]]


def test_a_question_with_the_same_caption_is_passed_over() -> None:
    """The nearest one that shares nothing is taken instead."""
    questions = [question(0, "same"), question(1), question(2, "same"), question(3)]
    assert [shot.id for shot in similar_shots(questions, 1, SIMILARITIES)[0]] == ["3"]
    with pytest.raises(DataError, match="found 2"):
        similar_shots(questions, 3, SIMILARITIES)


def test_caption_similarities_are_cosines() -> None:
    """Equal captions have 1, captions without a common word 0, and more words in common are nearer."""
    captions = ["loss of the model", "loss of the model", "images only", "loss of the graph"]
    found = caption_similarities([question(number, caption) for number, caption in enumerate(captions)])
    assert found.shape == (4, 4)
    assert np.diag(found) == pytest.approx(np.ones(4))
    assert found[0, 1] == pytest.approx(1.0)
    assert found[0, 2] == 0.0
    assert 0.0 < found[0, 3] < 1.0
