"""What a model is shown of a row: the template filled in, every picture in its place."""

from pathlib import Path
from typing import Any

import pytest
from own_data import MIXED, own_rows, write_own
from PIL import Image

from spiqa_tasks.benchmarks.own.prompts import prompt
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn, chat_messages
from spiqa_tasks.files.pictures import Ablation

LETTER = "Answer with the option's letter from the given choices directly."


def parts_of(
    folder: Path, place: int = 0, ablation: Ablation = "none", rows: Any = MIXED, **values: Any
) -> list[Any]:
    """Return a row's prompt: texts joined, pictures by the names of their files."""
    definition, found = own_rows(write_own(folder, rows, **values), ablation)
    return plain(prompt(definition, found[place], (), ablation))


def plain(parts: list[Part]) -> list[Any]:
    """Return a prompt as chat models get it, pictures by the names of their files."""
    content = [part for turn in chat_messages(parts, "path") for part in turn["content"]]
    return [part.get("text") or [Path(part["url"]).name] for part in content]


def test_a_marked_picture_stands_in_its_place(tmp_path: Path) -> None:
    """The others come first, one after the other, and the options have letters."""
    assert parts_of(tmp_path) == ["Which colour? ", ["blue.png"], f"\nA. red\nB. blue\n{LETTER}"]
    assert parts_of(tmp_path, 2) == [
        ["red.png"],
        f"\nWhich is it?\nA. left\nB. right\nC. none\n{LETTER}",
    ]


def test_an_open_question_has_a_prompt_of_its_own(tmp_path: Path) -> None:
    """It asks for a short answer, unless the YAML has another wording."""
    asked = "How many bars?\nAnswer the question with a word, a number or a short phrase."
    assert parts_of(tmp_path, 1) == [["red.png"], f"\n{asked}"]
    own = {"open": "Q: {question} \\boxed{{}}"}
    assert parts_of(tmp_path, 1, prompt=own) == ["Q: How many bars? \\boxed{}"]


def test_a_template_may_name_any_column(tmp_path: Path) -> None:
    """The cell's text stands there, braces in it are text, and an empty cell leaves nothing."""
    rows = [{**MIXED[1], "hint": "{question}"}, {**MIXED[1], "id": "x", "hint": None}]
    values = {"prompt": "{hint}|{question}|{options}|{images}", "rows": rows}
    assert parts_of(tmp_path, 0, **values) == ["{question}|How many bars?||", ["red.png"], "\n"]
    assert parts_of(tmp_path, 1, **values) == ["|How many bars?||", ["red.png"], "\n"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("<image 2> or <image 1>?", [["blue.png"], " or ", ["red.png"], "?"]),
        ("<image> or <image>?", [["red.png"], " or ", ["blue.png"], "?"]),
        ("Is it <image_2>?", [["red.png"], "\nIs it ", ["blue.png"], "?"]),
        ('<img="a.png"> or <img="b.png">?', [["red.png"], " or ", ["blue.png"], "?"]),
        ("<image_1>, <image_1>?", [["blue.png"], "\n", ["red.png"], ", ", ["red.png"], "?"]),
        ("<image1>, <image3>?", [["red.png"], ["blue.png"], "\n<image1>, <image3>?"]),
        ("Which?", [["red.png"], ["blue.png"], "\nWhich?"]),
    ],
)
def test_markers_name_pictures_by_number_or_in_order(
    question: str, expected: list[Any], tmp_path: Path
) -> None:
    """Where one of them has no picture, the text stays as it is and all pictures come first."""
    row = {**MIXED[1], "question": question, "image": ["red.png", "blue.png"]}
    assert parts_of(tmp_path, rows=[row], prompt="{images}{question}") == expected


def test_a_marker_may_stand_in_an_option(tmp_path: Path) -> None:
    """Markers are counted through question and options."""
    row = {
        **MIXED[0],
        "question": "Which?",
        "options": ["<image 1>", "<image 2>"],
        "image": ["red.png", "blue.png"],
    }
    found = parts_of(tmp_path, rows=[row], prompt="{images}{question}\n{options}")
    assert found == ["Which?\nA. ", ["red.png"], "\nB. ", ["blue.png"]]


def test_ablations_change_pictures_alone(tmp_path: Path) -> None:
    """Grey ones are of the same size and in the same place; without pictures the markers go, too."""
    definition, found = own_rows(write_own(tmp_path), "grey")
    (grey,) = (
        part for part in prompt(definition, found[0], (), "grey") if isinstance(part, Picture)
    )
    with Image.open(grey.path) as image, Image.open(tmp_path / "blue.png") as original:
        assert image.size == original.size
        assert image.getcolors() == [(image.width * image.height, (128, 128, 128))]
    assert parts_of(tmp_path, 0, "text") == [f"Which colour?\nA. red\nB. blue\n{LETTER}"]


def test_solved_questions_are_turns(tmp_path: Path) -> None:
    """Each one with its picture and its answer, before the question."""
    definition, found = own_rows(write_own(tmp_path))
    parts = prompt(definition, found[2], found[:2], "none")
    assert [part.role for part in parts if isinstance(part, Turn)] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    turns = chat_messages(parts, "path")
    assert [turn["content"] for turn in turns if turn["role"] == "assistant"] == [
        [{"type": "text", "text": "B"}],
        [{"type": "text", "text": "1500"}],
    ]
    assert [sum(part["type"] == "image" for part in turn["content"]) for turn in turns] == [
        1,
        0,
        1,
        0,
        1,
    ]
