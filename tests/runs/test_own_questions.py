"""Answers with their own questions: what their true answers are, and when they are choices."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath

COLOURS = ["red", "blue", "green", "yellow"]


def accuracy(folder: Path, lines: Sequence[dict[str, Any]]) -> float:
    """The accuracy over lines of answers, each of which has an id of its own."""
    path = folder / "m.jsonl"
    numbered = ({"id": number, **line} for number, line in enumerate(lines))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in numbered))
    (run,), _ = load_runs([RunPath(path)])
    return run.value(run.metric("accuracy")).value


def choices(true: Sequence[object], predictions: str, options: Sequence[str] = COLOURS) -> Any:
    """A line for each true answer and predicted letter."""
    return [
        {"question": f"Which is {place}?", "options": options, "reference": answer, "prediction": p}
        for place, (answer, p) in enumerate(zip(true, predictions, strict=True))
    ]


@pytest.mark.parametrize(
    ("true", "right", "first"),
    [
        ([0, 1, 3], "ABD", 0),
        ([1, 2, 4], "ABD", 1),
        (["0", "3"], "AD", 0),
        (["4"], "D", 1),
    ],
)
def test_numbers_are_of_options_from_0_or_1(
    tmp_path: Path,
    true: Sequence[object],
    right: str,
    first: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By the highest and the lowest of them, which one sentence says."""
    assert accuracy(tmp_path, choices(true, right)) == 1.0
    said = f"{tmp_path / 'm.jsonl'}: the true answers are read as numbers of options, from {first}."
    assert said in capsys.readouterr().err
    assert accuracy(tmp_path, choices(true, "C" * len(true))) == 0.0


def test_numbers_of_which_nobody_knows_where_they_begin_are_no_letters(tmp_path: Path) -> None:
    """1 and 2 of four options may be A and B, or B and C."""
    with pytest.raises(SpiqaTasksError, match=r"found .1., .* Write the letter of one option"):
        accuracy(tmp_path, choices([1, 2], "AB"))


def test_numbers_that_are_texts_of_options_are_these(tmp_path: Path) -> None:
    """Not the numbers of others, as long as all are texts."""
    numbers = ["12", "7", "9", "30"]
    assert accuracy(tmp_path, choices(["7", "30"], "BD", numbers)) == 1.0


def test_texts_that_are_numbers_of_other_options_are_refused(tmp_path: Path) -> None:
    """Of 0, 1, 2 and 3 in another order nobody knows whether they count."""
    with pytest.raises(InputError, match=r"found numbers of options that are texts of others"):
        accuracy(tmp_path, choices([0, 1, 2, 3], "ABCD", ["3", "2", "1", "0"]))
    assert accuracy(tmp_path, choices([0, 1, 2, 3], "ABCD", ["0", "1", "2", "3"])) == 1.0


def test_letters_alone_are_choices_if_the_answers_are_letters_too(tmp_path: Path) -> None:
    """Predictions may have brackets, points and blanks around them, or be empty."""
    lines = [
        {"question": "Which?", "reference": "B", "prediction": "(B)"},
        {"question": "What?", "reference": "c", "prediction": " c.\n"},
        {"question": "Why?", "reference": "A", "prediction": ""},
        {"question": "How?", "reference": "A", "prediction": "D"},
    ]
    assert accuracy(tmp_path, lines) == 0.5


def test_letters_of_answers_in_words_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without options nobody can read them: they are scored as open answers, says one sentence."""
    path = tmp_path / "m.jsonl"
    line = {"id": 1, "question": "Which?", "reference": "B", "prediction": "It is blue."}
    path.write_text(json.dumps(line))
    (run,), _ = load_runs([RunPath(path)])
    assert "accuracy" not in [metric.name for metric in run.metrics]
    assert f"{path}: all true answers are letters, and there are no options" in (
        capsys.readouterr().err
    )


def test_questions_that_list_their_options_are_choices_if_most_do(tmp_path: Path) -> None:
    """A few that list letters among many open ones are none."""
    listed = "Which? A) red B) blue C) green D) yellow"
    choice = {"question": listed, "reference": "B", "prediction": "B) blue"}
    free = {"question": "What is it?", "reference": "a fox", "prediction": "a fox"}
    assert accuracy(tmp_path, [choice, choice]) == 1.0
    with pytest.raises(InputError, match="accuracy"):
        accuracy(tmp_path, [choice, free, free])
