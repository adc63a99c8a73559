"""Examples: other questions of the file, random ones or the nearest."""

from __future__ import annotations

import hashlib
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, OptionFigure
from spiqa_tasks.benchmarks.scifibench.shots import caption_similarities, pair_similarities, random_shots, similar_shots
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", ["random", "similar"])
def test_examples_share_nothing_with_the_question(real_data: Path, kind: str) -> None:
    """Five different examples with pictures of their own; no caption or figure of theirs is in the question."""
    for row in rows_of(real_data, "cs_fig2cap", f"shots=5,shot_kind={kind}"):
        assert len(row["shots"]) == 5
        assert len({shot["images"][0] for shot in row["shots"]}) == 5
        for shot in row["shots"]:
            assert not set(shot["options"]) & set(row["options"])
            assert digest(shot["images"][0]) != digest(row["images"][0])


def test_similar_examples_are_the_nearest_by_tf_idf(real_data: Path) -> None:
    """The examples have the highest cosines to the true caption, the nearest one last, next to the question."""
    rows = rows_of(real_data, "cs_fig2cap", "shots=2,shot_kind=similar")
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([row["caption"] for row in rows])
    cosines = np.asarray((vectors @ vectors.T).todense())
    for index, row in enumerate(rows):
        allowed = [place for place, other in enumerate(rows) if not set(other["options"]) & set(row["options"])]
        best = sorted(cosines[index, place] for place in allowed)[-2:]
        places = [next(i for i, other in enumerate(rows) if other["images"] == shot["images"]) for shot in row["shots"]]
        assert [cosines[index, place] for place in places] == pytest.approx(best)


def test_random_examples_depend_on_the_seed_and_the_question_alone(scifibench_release: Path) -> None:
    """The same seed draws the same examples; another one others."""
    first = rows_of(scifibench_release, "cs_cap2fig", "shots=2")
    assert [row["shots"] for row in first] == [r["shots"] for r in rows_of(scifibench_release, "cs_cap2fig", "shots=2")]
    assert [row["shots"] for row in first] != [
        row["shots"] for row in rows_of(scifibench_release, "cs_cap2fig", "shots=2,seed=3")
    ]
    assert all(len(shot["images"]) == 5 for row in first for shot in row["shots"])


def test_twins_are_no_examples_of_each_other(scifibench_release: Path) -> None:
    """Questions with a caption or a figure in common are kept apart."""
    rows = {row["id"]: row for row in rows_of(scifibench_release, "cs_fig2cap", "shots=11")}
    shown = [shot["images"][0] for shot in rows["0"]["shots"]]
    assert not {rows["1"]["images"][0], rows["2"]["images"][0]} & set(shown)
    with pytest.raises(DataError, match="Use fewer shots"):
        rows_of(scifibench_release, "cs_fig2cap", "shots=12")


def question(number: int, caption: str = "") -> ChoiceQuestion:
    captions = (caption or f"caption {number}", f"distractor {number}")
    return ChoiceQuestion(
        "CS_Figure2Caption",
        str(number),
        "Which?",
        "Which?",
        ("A", "B"),
        captions,
        "A",
        "cs",
        (OptionFigure(f"digest {number}", ""),),
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


def pair(number: int, caption: str, figure: str = "") -> ChoiceQuestion:
    """A question about a figure, with a true caption and a false one of its own."""
    shown = OptionFigure(figure or f"digest{number}", f"{number}.png")
    options = (f"false {number}", caption)
    return ChoiceQuestion("CS_Figure2Caption", str(number), "q", "q", ("A", "B"), options, "B", "cs", (shown,))


APART = [pair(number, f"caption {number}") for number in range(8)]


def ids(found: list[list[ChoiceQuestion]]) -> list[list[str]]:
    """The ids of examples."""
    return [[example.id for example in examples] for examples in found]


def test_random_examples_are_drawn_by_seed_and_question() -> None:
    """As Python's generator shuffles the places, seeded with these; the question itself is none."""
    for seed in (0, 5):
        expected = []
        for number in range(8):
            places = list(range(8))
            random.Random(f"shots#{seed}#CS_Figure2Caption/{number}").shuffle(places)
            expected.append([str(place) for place in places if place != number][:3])
        assert ids(random_shots(APART, 3, seed)) == expected


def test_the_nearest_examples_come_last() -> None:
    """Of those that share nothing with the question; the first of equals is taken."""
    similarities = np.array([[1.0, 0.1, 0.9, 0.5], [0.1, 1, 0.1, 0.1], [0.9, 0.1, 1, 0.2], [0.5, 0.1, 0.2, 1]])
    assert ids(similar_shots(APART[:4], 2, similarities)) == [["3", "2"], ["2", "0"], ["3", "0"], ["2", "0"]]
    alike = [pair(0, "The caption ."), pair(1, "the  caption"), pair(2, "x", "digest0"), pair(3, "y")]
    assert ids(similar_shots(alike[:2] + alike[3:], 1, similarities[:3, :3])) == [["3"], ["3"], ["0"]]
    with pytest.raises(DataError) as error:
        similar_shots(alike, 2, similarities)
    assert str(error.value) == (
        "Expected 2 examples for question 0 of CS_Figure2Caption that share no caption and no figure with it, found 1. "
        "Use fewer shots."
    )


def test_captions_are_near_by_the_words_that_they_share() -> None:
    """Cosines of TF-IDF: 1 with themselves, more with more words in common, 0 with none."""
    questions = [pair(0, "loss of x"), pair(1, "loss of y"), pair(2, "a plot")]
    found = caption_similarities(questions)
    assert found.shape == (3, 3)
    assert np.diag(found) == pytest.approx(1)
    assert 0 < found[0, 1] == pytest.approx(found[1, 0])
    assert found[0, 1] < 1
    assert found[0, 2] == 0
    words = ["loss of x", "loss of y", "a plot"]
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(words)
    assert found == pytest.approx(np.asarray((vectors @ vectors.T).todense()))


def test_pairs_are_near_by_both_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of the cosines of captions and of figures, by the checkpoint that is named."""

    class Encoder:
        def __init__(self, checkpoint: str) -> None:
            assert checkpoint == "a/b"

        def texts(self, texts: list[str]) -> Any:
            assert texts == ["caption 0", "caption 1"]
            return np.array([[1.0, 0.0], [0.6, 0.8]])

        def images(self, paths: list[str]) -> Any:
            assert paths == ["0.png", "1.png"]
            return np.array([[1.0, 0.0], [0.0, 1.0]])

    monkeypatch.setattr("spiqa_tasks.vision.clip_encoder.ClipEncoder", Encoder)
    assert pair_similarities(APART[:2], "a/b") == pytest.approx(np.array([[1.0, 0.3], [0.3, 1.0]]))


def test_of_many_equally_near_examples_the_first_are_taken() -> None:
    """Whatever their number; those are nearest that come first in the file."""
    questions = [pair(number, f"caption {number}") for number in range(60)]
    nearest = ids(similar_shots(questions, 3, np.ones((60, 60))))
    assert nearest == [[str(place) for place in range(60) if place != number][:3][::-1] for number in range(60)]


def test_a_word_that_is_there_often_weighs_little_more() -> None:
    """A count of n is worth 1 + ln n, times ln((1 + 3) / (1 + m)) + 1 for a word of m of the three captions."""
    captions = ["loss loss loss graph", "loss only", "loss graph"]
    found = caption_similarities([question(number, caption) for number, caption in enumerate(captions)])
    weights = {1: 1.0, 3: 1 + math.log(3)}
    idf = {"loss": math.log(4 / 4) + 1, "graph": math.log(4 / 3) + 1}
    first = [weights[3] * idf["loss"], weights[1] * idf["graph"]]
    third = [idf["loss"], idf["graph"]]
    expected = sum(a * b for a, b in zip(first, third, strict=True)) / (math.hypot(*first) * math.hypot(*third))
    assert found[0, 2] == pytest.approx(expected)
