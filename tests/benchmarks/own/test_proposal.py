"""What a table's columns are taken for."""

from pathlib import Path
from typing import Any

import pytest
from own_data import write_pictures

from spiqa_tasks.benchmarks.own.proposal import propose
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import KEY

LEAST = {"question": "Which?", "answer": "red"}


def columns_of(
    *rows: dict[str, Any], folder: Path = Path("nowhere"), **given: Any
) -> dict[str, Any]:
    """Return the columns that are proposed for these rows."""
    columns: dict[str, Any] = propose(rows, given, folder)["columns"]
    return columns


def numbered(count: int, **cells: Any) -> list[dict[str, Any]]:
    """Return rows with ids and the cells, those that are lists by the row's place."""
    return [
        {
            "qid": place,
            **{
                name: each[place % len(each)] if isinstance(each, list) else each
                for name, each in cells.items()
            },
        }
        for place in range(count)
    ]


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"query": "Which?", "label": "red"}, {"question": "query", "answer": "label"}),
        ({"question": "Which?", "reference": "red", "prediction": "blue"}, {"answer": "reference"}),
        ({"question": "Which?", "reference": "fig.png", "answer": "red"}, {"answer": "answer"}),
        (
            {"Question": "Which?", "Answer": "A", "Choices": ["x", "y"]},
            {"question": "Question", "options": "Choices"},
        ),
        ({"text": "t", "question": "Which?", "answer": "A"}, {"question": "question"}),
        ({**LEAST, "A": "x", "B": "y", "C": None}, {"options": ["A", "B", "C"]}),
        ({**LEAST, "choice_b": "x", "choice_a": "y"}, {"options": ["choice_a", "choice_b"]}),
        ({**LEAST, "option1": "x", "option2": "y"}, {"options": ["option1", "option2"]}),
        (
            {**LEAST, "image_2": None, "image_1": {"bytes": b"x"}},
            {"images": ["image_2", "image_1"]},
        ),
        ({**LEAST, "image_1": None, "image_2": ""}, {"images": None, "cluster": None}),
        ({**LEAST, "imgname": "a.png"}, {"images": "imgname"}),
        ({**LEAST, "scan": "a/b.JPG"}, {"images": "scan"}),
        ({**LEAST, "image": "iVBOR" + "x" * 80}, {"images": "image"}),
        ({**LEAST, "pictures": ["a.png"]}, {"images": "pictures"}),
    ],
)
def test_columns_are_known_by_their_names_and_values(
    row: dict[str, Any], columns: dict[str, Any]
) -> None:
    """Whatever case they are written in, and in every usual form."""
    found = columns_of(row)
    assert {role: found.get(role) for role in columns} == columns


def test_what_the_user_says_is_not_guessed() -> None:
    """Nor is its column taken for anything else; an empty name is none."""
    found = columns_of(
        {"question": "Which?", "text": "What?", "answer": "x", "id": 1}, question="text", id=""
    )
    assert found == {"question": "text", "answer": "answer"}


@pytest.mark.parametrize(
    ("row", "role"),
    [({"q1": "Which?", "answer": "x"}, "question"), ({**LEAST, "answer": None}, "answer")],
)
def test_a_table_without_question_or_answer_is_refused(row: dict[str, Any], role: str) -> None:
    """The sentence names the option with which the user names the column."""
    with pytest.raises(InputError, match=f"Name it with --column {role}=COLUMN"):
        columns_of(row)


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
def test_the_form_of_right_options_is_that_which_reads_most(
    answers: list[Any], options: list[str], form: str
) -> None:
    """Letters, texts, indices where one is 0, else numbers."""
    found = propose(
        numbered(4, question="Which?", options=[options], answer=answers), {}, Path("nowhere")
    )
    assert (found["kind"], found.get("answer_is", "letter")) == ("choice", form)


def test_the_whole_proposal_of_a_table() -> None:
    """Rows without options make both kinds; a picture of several questions is a cluster."""
    options = [["x", "y"], []]
    rows = numbered(
        40, answer=["A", "5"], choices=options, image="a.png", topic=["m", "n"], hint="long " * 20
    )
    rows = [
        {KEY: str(place), **row, "question": f"Which {place}?"} for place, row in enumerate(rows)
    ]
    assert propose(rows, {}, Path("nowhere")) == {
        "kind": "both",
        "columns": {
            **{
                "id": "qid",
                "question": "question",
                "answer": "answer",
                "options": "choices",
                "images": "image",
            },
            "cluster": "image",
        },
    }
    assert "cluster" not in columns_of(*numbered(3, **LEAST, image=["a.png", "b.png", "c.png"]))


def test_pictures_beside_the_data_are_found_by_a_columns_values(tmp_path: Path) -> None:
    """As `images/{figure}.png`, but not by right options."""
    write_pictures(tmp_path / "images", "7.png", "8.png")
    assert (
        columns_of(*numbered(2, **LEAST, figure=[7, 8]), folder=tmp_path)["images"]
        == "images/{figure}.png"
    )
    rows = [
        {"question": f"Which {answer}?", "options": ["x", "y"], "answer": answer}
        for answer in (7, 8)
    ]
    assert "images" not in columns_of(*rows, folder=tmp_path)


def test_pictures_that_happen_to_be_called_as_ids_are_none_of_the_tables(tmp_path: Path) -> None:
    """They are if the folder holds a picture for each id and nothing else."""
    write_pictures(tmp_path / "pics", "0.png", "1.png", "2.png")
    rows = numbered(3, **LEAST)
    assert columns_of(*rows, folder=tmp_path)["images"] == "pics/{qid}.png"
    assert "images" not in columns_of(*rows[:2], folder=tmp_path)


@pytest.mark.parametrize(
    ("images", "expected", "folder"),
    [
        (["x/9.png", "x/8.png"], "image", "images"),
        (["images\\x\\9.png", "gone.png", "./images/x/8.png"], "image", None),
        (["gone.png"], "image", None),
        (["five.png"], "image", None),
    ],
)
def test_names_of_pictures_may_begin_in_another_folder(
    images: list[str], expected: str, folder: str | None, tmp_path: Path
) -> None:
    """In one of all pictures, at most four deep."""
    write_pictures(tmp_path, *(f"images/{name}" for name in ("x/9.png", "x/8.png")))
    write_pictures(tmp_path, "a/b/c/d/e/five.png")
    found = propose(numbered(len(images), **LEAST, image=images), {}, tmp_path)
    assert (found["columns"]["images"], found.get("image_folder")) == (expected, folder)


@pytest.mark.parametrize(
    ("columns", "role", "name"),
    [
        ({"id": [1, 1], "qid": [1, 2]}, "id", "qid"),
        ({"id": ["x" * 129, "y"]}, "id", None),
        ({"options": [["x"], None], "choices": [None, ["x", "y"]]}, "options", "choices"),
        ({"options": ["A. x\nB. y", ""]}, "options", "options"),
        ({"options": ['{"A": "x", "B": "y"}', ""]}, "options", "options"),
        ({"option_A": ["x", "y"], "option_C": ["x", "y"]}, "options", None),
        ({"1": ["x", "y"], "2": ["x", "y"]}, "options", ["1", "2"]),
        ({"image": ["a", "b"]}, "images", None),
        ({"image": [{"path": "a"}, None]}, "images", "image"),
        ({"image": [b"x", None]}, "images", "image"),
        ({"image": [[], ["a.webp", "x"]]}, "images", "image"),
        ({"image_1": ["x", "y"]}, "images", ["image_1"]),
        ({"image_1": ["x", "y"], "image": ["a.png", ""]}, "images", "image"),
    ],
)
def test_a_columns_values_must_fit_its_name(
    columns: dict[str, list[Any]], role: str, name: Any
) -> None:
    """Else the next column with one of the usual names is taken, or none."""
    length = len(next(iter(columns.values())))
    rows = [{each: values[place] for each, values in columns.items()} for place in range(length)]
    assert columns_of(*({**LEAST, **row} for row in rows)).get(role) == name
