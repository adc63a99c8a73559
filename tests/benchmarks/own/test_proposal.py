"""What a table's columns are taken for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_data import write_pictures

from spiqa_tasks.benchmarks.own.pictures import PictureFiles
from spiqa_tasks.benchmarks.own.proposal import Proposal, propose
from spiqa_tasks.files.records import KEY

LEAST = {"question": "Which?", "answer": "red"}


def proposal(*rows: dict[str, Any], folder: Path = Path("nowhere"), **given: Any) -> Proposal:
    """Return what is proposed for these rows."""
    return propose(rows, given, PictureFiles(folder))


def numbered(count: int, **cells: Any) -> list[dict[str, Any]]:
    """Return rows with ids and the cells, those that are lists by the row's place."""
    return [
        {
            "qid": place,
            **{name: each[place % len(each)] if isinstance(each, list) else each for name, each in cells.items()},
        }
        for place in range(count)
    ]


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"query": "Which?", "label": "red"}, {"question": "query", "answer": "label"}),
        ({"Question": "Which?", "Answer": "A", "Choices": ["x", "y"]}, {"question": "Question", "options": "Choices"}),
        ({"text": "t", "question": "Which?", "answer": "A"}, {"question": "question"}),
        ({**LEAST, "A": "x", "B": "y", "C": None}, {"options": ["A", "B", "C"]}),
        ({**LEAST, "choice_b": "x", "choice_a": "y"}, {"options": ["choice_a", "choice_b"]}),
        ({**LEAST, "option1": "x", "option2": "y"}, {"options": ["option1", "option2"]}),
        ({"question": "Which?\n(A) x\n(B) y", "answer": "A"}, {"options": "question"}),
        ({**LEAST, "image_2": None, "image_1": {"bytes": b"x"}}, {"images": ["image_2", "image_1"]}),
        ({**LEAST, "imgname": "a.png"}, {"images": "imgname"}),
        ({**LEAST, "scan": "a/b.JPG"}, {"images": "scan"}),
        ({**LEAST, "image": "iVBOR" + "x" * 80}, {"images": "image"}),
        ({**LEAST, "pictures": ["a.png"]}, {"images": "pictures"}),
    ],
)
def test_columns_are_known_by_their_names_and_values(row: dict[str, Any], columns: dict[str, Any]) -> None:
    """Whatever case they are written in, and in every usual form."""
    found = proposal(row)
    assert {role: found.columns.get(role) for role in columns} == columns


def test_what_the_user_says_is_not_guessed() -> None:
    """Nor is its column taken for anything else; an empty name is none."""
    found = proposal({"question": "Which?", "text": "What?", "answer": "x", "id": 1}, question="text", id="")
    assert found.values()["columns"] == {"question": "text", "answer": "answer"}
    assert found.unused == ["question", "id"]


def test_a_column_that_cannot_be_told_is_said() -> None:
    """Without a question or an answer there is no benchmark."""
    assert proposal({"q1": "Which?", "answer": "x"}).open_points == ["question"]
    assert proposal({"question": "Which?", "verdict": "x"}).open_points == ["answer"]


@pytest.mark.parametrize(
    ("answers", "options", "form"),
    [
        (["A", "b"], ["x", "y"], "letter"),
        (["x", "y"], ["x", "y"], "text"),
        ([0, 1], ["x", "y"], "index"),
        (["1", "2"], ["x", "y"], "number"),
        (["3", "4"], ["3", "4"], "text"),
        (["A", "B"], ["A", "B"], "letter"),
    ],
)
def test_the_form_of_right_options_is_that_which_reads_most(answers: list[Any], options: list[str], form: str) -> None:
    """Letters, texts, indices where one is 0, else numbers."""
    found = proposal(*numbered(4, question="Which?", options=[options], answer=answers))
    assert (found.kind, found.answer_is) == ("choice", form)


def test_rows_without_options_make_both_kinds() -> None:
    """Some of them without, and the table has open questions too."""
    found = proposal(*numbered(4, question="Which?", options=[["x", "y"], []], answer=["A", "5"]))
    assert (found.kind, found.answer_is, found.columns["id"]) == ("both", "letter", "qid")


def test_few_short_values_are_groups() -> None:
    """Not texts, not what is the same everywhere, and not what nearly every row has for itself."""
    rows = numbered(40, **LEAST, level=[1, 2], topic=["a", "b", "c"], source="x", note=["long " * 20, "x"])
    rows = [{**row, "nearly": place // 2} for place, row in enumerate(rows)]
    assert proposal(*rows).columns["groups"] == ["level", "topic"]


def test_questions_about_one_picture_are_a_cluster() -> None:
    """Where several share one."""
    rows = numbered(6, **LEAST, image=["a.png", "b.png", "c.png"])
    assert proposal(*rows).columns["cluster"] == "image"
    assert "cluster" not in proposal(*numbered(3, **LEAST, image=["a.png", "b.png", "c.png"])).columns


def test_pictures_beside_the_data_are_found_by_a_columns_values(tmp_path: Path) -> None:
    """As `images/{figure}.png`, also where numbers in names have zeros before them."""
    write_pictures(tmp_path / "images", "7.png", "8.png", "000000000021.png", "000000000022.png")
    assert proposal(*numbered(2, **LEAST, figure=[7, 8]), folder=tmp_path).columns["images"] == "images/{figure}.png"
    padded = proposal(*numbered(2, **LEAST, figure=["21", "22"]), folder=tmp_path)
    assert padded.columns["images"] == "images/{figure:012d}.png"


def test_a_column_that_is_something_else_names_no_pictures(tmp_path: Path) -> None:
    """Numbers of right options are not taken for names of files."""
    write_pictures(tmp_path, "0.png", "1.png")
    rows = [{"question": f"Which {answer}?", "options": ["x", "y"], "answer": answer} for answer in (0, 1)]
    assert "images" not in proposal(*rows, folder=tmp_path).columns


def test_names_of_pictures_may_begin_in_another_folder(tmp_path: Path) -> None:
    """In one of all pictures, or in one that is called as another column's value or as the key."""
    write_pictures(tmp_path / "images", "x/9.png", "one/image.png", "two/image.png")
    files = PictureFiles(tmp_path)
    found = propose(numbered(1, **LEAST, image="x/9.png"), {}, files)
    assert (found.columns["images"], found.image_folder) == ("image", "images")
    rows = [{**row, KEY: key} for row, key in zip(numbered(2, **LEAST, image="image.png"), ["one", "two"], strict=True)]
    found = propose(rows, {}, files)
    assert (found.columns["images"], found.image_folder) == (f"images/{{{KEY}}}/{{image}}", "")
    assert files.folder_of(["images/x/9.png"]) == files.folder_of(["y/9.png"]) == files.folder_of([]) == ""
    found = propose(numbered(1, **LEAST, image="images/x/9.png"), {}, files)
    assert (found.columns["images"], found.image_folder) == ("image", "")
