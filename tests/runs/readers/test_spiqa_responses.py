"""SPIQA's own response files, as the released evaluation scripts write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.predictions import read_predictions


def row(paper_id: str, position: int, question: str) -> dict[str, Any]:
    """What of a row the reader needs."""
    row_id = f"{paper_id}/{position}"
    return {"id": row_id, "paper_id": paper_id, "question": question, "question_id": row_id, "step": ""}


ROWS = [row("p1", 0, "How many? "), row("p1", 1, "Same?"), row("p1", 2, "Same?"), row("p2", 0, "Why?")]


def write(folder: Path, paper_id: str, entries: dict[str, Any]) -> None:
    """A response file; entries without a question of their own get what a script writes beside it."""
    whole = {
        key: {"referred_figures_indices": [0], "all_figures_names": ["f.png"], "answer": "a", **entry}
        for key, entry in entries.items()
    }
    (folder / f"{paper_id}_response.json").write_text(json.dumps(whole))


def answers(place: Path) -> dict[str, str]:
    """Id -> answer."""
    return {item.id: item.text for item in read_predictions(place, "spiqa_testA", ROWS).items}


def test_a_question_is_found_by_its_text_and_among_equal_texts_by_its_position(tmp_path: Path) -> None:
    """A and val write positions as keys, and one paper asks the same question twice."""
    write(
        tmp_path, "p1", {"0": {"question": "How many?", "response": "5"}, "2": {"question": "Same?", "response": "z"}}
    )
    write(tmp_path, "p2", {"0": {"question": "Why?", "response": "w"}})
    assert answers(tmp_path) == {"p1/0": "5", "p1/2": "z", "p2/0": "w"}


def test_keys_that_are_no_positions_are_matched_by_text(tmp_path: Path) -> None:
    """B and C write the release's `question_key`."""
    same = {"69": {"question": "Same?", "response": "first"}, "70": {"question": "Same?", "response": "second"}}
    write(tmp_path, "p1", {**same, "71": {"question": "Gone?", "response": "x"}})
    assert answers(tmp_path) == {"p1/1": "first", "p1/2": "second", "p1/71": "x"}


def test_one_file_is_as_good_as_a_folder(tmp_path: Path) -> None:
    """A single paper's file can be named."""
    write(tmp_path, "p2", {"0": {"question": "Why?", "response": "w"}})
    assert answers(tmp_path / "p2_response.json") == {"p2/0": "w"}


def test_the_figures_shown_come_from_the_file(tmp_path: Path) -> None:
    """The scripts shuffle without a seed, so only the file knows which figure was Image 1."""
    entry = {"question": "Why?", "response": "w", "all_figures_names": ["b.png", "a.png"]}
    write(tmp_path, "p2", {"0": entry})
    (item,) = read_predictions(tmp_path, "spiqa_testA_cot", ROWS).items
    assert item.shown == ("b.png", "a.png")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"question": "Why?", "response": {"f.png": ["Yes", "w"]}}, "one per figure"),
        ({"question": "Why?", "response": None}, "found NoneType"),
        ({"response": "w"}, "to have question and response"),
    ],
)
def test_a_response_of_another_form_is_refused_by_name(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    """The message names the file and the question."""
    write(tmp_path, "p2", {"0": entry})
    with pytest.raises(InputError, match=f"question 0 of .*p2_response.json.*{message}"):
        answers(tmp_path)


@pytest.mark.parametrize("content", ["[]", "{", '{"0": 1}'])
def test_a_file_that_is_no_response_file_is_refused(tmp_path: Path, content: str) -> None:
    """A list, half a file, a number for a question."""
    (tmp_path / "p2_response.json").write_text(content)
    with pytest.raises(InputError, match=r"p2_response\.json"):
        answers(tmp_path)
