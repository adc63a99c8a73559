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


def test_a_proposal_is_written_without_what_is_the_default() -> None:
    """Columns without a name, letters as answers and no folder of pictures are left out."""
    bare = Proposal({"question": "q", "id": ""}, "choice")
    assert bare.values() == {"kind": "choice", "columns": {"question": "q"}}
    whole = Proposal({"question": "q"}, "choice", "index", "images")
    assert whole.values() == {**bare.values(), "answer_is": "index", "image_folder": "images"}


def test_the_whole_proposal_of_a_table() -> None:
    """Every column is something, or is named as unused."""
    rows = numbered(40, question="Which?", answer=["A", "B"], choices=[["x", "y"]], image="a.png", topic=["m", "n"])
    rows = [{**row, "question": f"Which {place}?", "hint": "long " * 20} for place, row in enumerate(rows)]
    assert proposal(*rows) == Proposal(
        {
            **{"id": "qid", "question": "question", "answer": "answer", "options": "choices", "images": "image"},
            **{"groups": ["topic"], "cluster": "image"},
        },
        "choice",
        unused=["hint"],
    )


@pytest.mark.parametrize(
    ("columns", "role", "name"),
    [
        ({"id": [1, 1], "qid": [1, 2]}, "id", "qid"),
        ({"id": ["x" * 61, "y"]}, "id", None),
        ({"id": ["x" * 60, "y"]}, "id", "id"),
        ({"question": [1, 2], "problem": ["a", "b"]}, "question", "problem"),
        ({"question": ["a", None]}, "question", None),
        ({"answer": [None, None], "gold": ["x", "y"]}, "answer", "gold"),
        ({"answer": ["x", None]}, "answer", None),
        ({"answer": ["x", "y", None]}, "answer", "answer"),
        ({"options": [["x"], None], "choices": [None, ["x", "y"]]}, "options", "choices"),
        ({"options": ["x", "y"]}, "options", None),
        ({"options": ["A. x\nB. y", ""]}, "options", "options"),
        ({"options": ['{"A": "x", "B": "y"}', ""]}, "options", "options"),
        ({"option_A": ["x", "y"], "option_C": ["x", "y"]}, "options", None),
        ({"option_A": ["x", "y"]}, "options", None),
        ({"1": ["x", "y"], "2": ["x", "y"]}, "options", ["1", "2"]),
        ({"image": ["a", "b"]}, "images", None),
        ({"image": [{"path": "a"}, None]}, "images", "image"),
        ({"image": [b"x", None]}, "images", "image"),
        ({"image": [[], ["a.webp", "x"]]}, "images", "image"),
        ({"image": [["a", "b.png"], 3]}, "images", None),
        ({"image_1": ["x", "y"]}, "images", "image_1"),
        ({"image_1": ["x", "y"], "image": ["a.png", ""]}, "images", "image"),
    ],
)
def test_a_columns_values_must_fit_its_name(columns: dict[str, list[Any]], role: str, name: Any) -> None:
    """Else the next column with one of the usual names is taken, or none."""
    length = len(next(iter(columns.values())))
    rows = [{each: values[place] for each, values in columns.items()} for place in range(length)]
    assert proposal(*rows).columns.get(role) == name


@pytest.mark.parametrize(("listed", "options"), [(1, None), (2, "question")])
def test_half_of_the_questions_must_list_their_options(listed: int, options: str | None) -> None:
    """For these to be looked for in their text."""
    texts = ["Which?\nA. x\nB. y"] * listed + ["Which?"] * (4 - listed)
    rows = [{"question": text, "answer": "A"} for text in texts]
    assert proposal(*rows).columns.get("options") == options


def test_groups_have_a_quarter_of_the_rows_at_least_thirty_and_six_at_most() -> None:
    """Of values: ten of forty rows, thirty in all; six columns in the order of the table."""
    rows = [{**LEAST, "ten": place % 10, "eleven": place % 11} for place in range(40)]
    assert proposal(*rows).columns["groups"] == ["ten"]
    rows = [{**LEAST, "low": place % 30, "high": place % 31} for place in range(400)]
    assert proposal(*rows).columns["groups"] == ["low"]
    rows = [{**LEAST, **{f"g{number}": place % 2 for number in range(8)}} for place in range(40)]
    assert proposal(*rows).columns["groups"] == [f"g{number}" for number in range(6)]
    assert "groups" not in proposal(*[{**LEAST, "g": place % 2 or None} for place in range(40)]).columns


def test_more_than_a_tenth_of_the_pictures_must_be_shared() -> None:
    """By several questions, and be short names."""
    names = [f"{place}.png" for place in range(10)]
    one = [{**LEAST, "image": name} for name in [*names, "0.png"]]
    assert "cluster" not in proposal(*one).columns
    assert proposal(*one, {**LEAST, "image": "1.png"}).columns["cluster"] == "image"
    long = [{**LEAST, "image": f"{'x' * 60}.png"} for _ in range(4)]
    assert "cluster" not in proposal(*long).columns


def test_the_key_of_an_object_is_no_column() -> None:
    """Rows of a JSON object have it beside their columns."""
    assert proposal({KEY: "a", **LEAST}).unused == []
