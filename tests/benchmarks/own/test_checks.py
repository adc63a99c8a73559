"""What is odd about rows that can be asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_data import own_rows, write_own, write_pictures

from spiqa_tasks.benchmarks.own.checks import oddities
from spiqa_tasks.benchmarks.own.definition import Columns, Definition


@pytest.fixture(scope="module")
def definition(tmp_path_factory: pytest.TempPathFactory) -> Definition:
    """Of a benchmark with pictures."""
    return own_rows(write_own(tmp_path_factory.mktemp("checks")))[0]


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A picture that can be read."""
    folder = tmp_path_factory.mktemp("pictures")
    write_pictures(folder, "red.png")
    return str(folder / "red.png")


def row(number: int, picture: str, **cells: Any) -> dict[str, Any]:
    """A choice with nothing odd; the right letters take turns."""
    options = ["red", "blue", f"{number}"]
    letters = list("ABC")
    own = {"id": str(number), "question": f"Which {number}?", "options": options, "letters": letters}
    return own | {"images": [picture], "answer": letters[number % 3]} | cells


def test_nothing_is_said_of_rows_that_are_well(definition: Definition, picture: str) -> None:
    """Whatever their number; none at all are no matter either."""
    assert list(oddities(definition, [row(number, picture) for number in range(30)])) == []
    assert list(oddities(definition, [])) == []


def test_each_fault_is_said_with_its_questions(definition: Definition, picture: str) -> None:
    """One or several of them, five ids at most."""
    rows = [row(number, picture) for number in range(20)]
    rows[0]["options"] = ["red", "RED", "blue"]
    rows[1]["question"] = "Which <image2>?"
    for number in range(2, 8):
        rows[number]["images"] = []
    rows[8:10] = [{**rows[8], "id": "8"}, {**rows[8], "id": "9"}]
    assert list(oddities(definition, rows)) == [
        "1 question has two options with the same text, the first: 0.",
        "1 question names a picture that it does not have, the first: 1.",
        "6 questions have no picture, the first: 2, 3, 4, 5, 6.",
        "2 questions are asked more than once, with the same options and pictures, the first: 8, 9.",
    ]
    two = [{**row(number, picture), "options": ["x", "X", "<image 2>"]} for number in range(2)]
    assert list(oddities(definition, two))[:2] == [
        "2 questions have two options with the same text, the first: 0, 1.",
        "2 questions name pictures that they do not have, the first: 0, 1.",
    ]


def test_questions_without_pictures_are_odd_where_a_column_has_them(definition: Definition) -> None:
    """Not in a benchmark of texts alone."""
    rows = [row(number, "", images=[]) for number in range(3)]
    bare = definition.model_copy(update={"columns": Columns()})
    assert list(oddities(definition, rows)) == ["3 questions have no picture, the first: 0, 1, 2."]
    assert list(oddities(bare, rows)) == []


@pytest.mark.parametrize(("count", "is_said"), [(10, False), (20, True)])
def test_a_letter_that_is_right_too_often_is_said(
    definition: Definition, picture: str, count: int, is_said: bool
) -> None:
    """From four standard errors above chance on, open questions aside: of 24 choices with three options 9.2 more."""
    rows = [row(number, picture, answer="B" if number < count else "AC"[number % 2]) for number in range(24)]
    rows += [row(number, picture, letters=[], options=[], answer="B") for number in range(24, 60)]
    said = [
        f"B is right in {count / 24:.0%} of 24 choices, where 33% would be by chance: who always answers B gets as "
        "much. Shuffle the options."
    ]
    assert list(oddities(definition, rows)) == (said if is_said else [])


def test_chance_is_that_of_each_question(definition: Definition, picture: str) -> None:
    """With two options a letter is right in half of them; without it among the options never."""
    two = {"letters": ["A", "B"], "answer": "A"}
    rows = [row(number, picture, **two, options=["x", str(number)]) for number in range(20)]
    other = {"letters": ["B", "C"], "answer": "B"}
    rows += [row(number, picture, **other, options=["x", str(number)]) for number in range(20, 25)]
    assert list(oddities(definition, rows)) == [
        "A is right in 80% of 25 choices, where 40% would be by chance: who always answers A gets as much. Shuffle the "
        "options."
    ]


def test_a_picture_that_cannot_be_read_is_said(definition: Definition, tmp_path: Path) -> None:
    """With the first file."""
    (tmp_path / "broken.png").write_bytes(b"GIF89a")
    (said,) = oddities(definition, [row(0, str(tmp_path / "broken.png"))])
    assert "1 that cannot be decoded" in said
