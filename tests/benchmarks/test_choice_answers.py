"""Choices with their questions, options and answers, scored without a task."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.cli import main

Row = dict[str, Any]
TEXTS = ["red", "blue", "green"]
ROWS: list[Row] = [
    {"question": "Sky?", "options": TEXTS, "answer": "B", "prediction": "It is blue."},
    {"question": "Grass?", "options": TEXTS, "answer": "green", "prediction": "(A)"},
    {"question": "Blood?", "options": TEXTS, "answer": "a", "prediction": "I see A and B."},
    {"question": "Roses?", "options": TEXTS, "answer": "A", "prediction": "Answer: A"},
]


def scored(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    status, found, errors = run_json(capsys, "score", path)
    assert status == 0, errors
    return found


def in_forms(form: str) -> list[Row]:
    """The rows with their options in another form."""
    if form == "object":
        return [{**row, "options": dict(zip("ABC", row["options"], strict=True))} for row in ROWS]
    if form == "columns":
        bare = [{key: row[key] for key in row if key != "options"} for row in ROWS]
        return [row | dict(zip("ABC", TEXTS, strict=True)) for row in bare]
    if form == "question":
        listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABC", TEXTS, strict=True))
        bare = [{key: row[key] for key in row if key != "options"} for row in ROWS]
        return [{**row, "question": f"{row['question']}\n{listed}"} for row in bare]
    return ROWS


@pytest.mark.parametrize("form", ["list", "object", "columns", "question"])
def test_lines_with_options_are_scored_by_the_matcher(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever form the options have; the answer is a letter or the text of an option."""
    path = tmp_path / "m.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in in_forms(form)))
    found = scored(path, capsys)
    assert (found["task"], found["metrics"]["accuracy"]) == ("choices", 0.5)
    assert found["metrics"]["unparsed_rate"] == 0.25
    assert "matcher:" in found["signature"]
    assert "data:choices/file@table " in found["signature"]


def test_a_table_of_spreadsheet_programs_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a column for each option."""
    rows = in_forms("columns")
    with (tmp_path / "m.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert scored(tmp_path / "m.csv", capsys)["metrics"]["accuracy"] == 0.5


def test_files_of_the_same_questions_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The data of their signatures is a digest of questions, options and answers."""
    for name, rows in (("a", ROWS), ("b", [{**row, "prediction": "B"} for row in ROWS])):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    status, found, errors = run_json(capsys, "compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert status == 0, errors
    (pair,) = found
    assert abs(pair["difference"]["difference"]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"options": []}, "Expected options with each answer, found none with 4. Add them"),
        ({"answer": "D"}, "Expected the answer of 4 to be a letter or the text of an option"),
    ],
)
def test_a_row_that_cannot_be_scored_is_named(
    row: Row, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without options, or with an answer that is none of them."""
    path = tmp_path / "m.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in [*ROWS[:3], {**ROWS[3], **row}]))
    assert main(["score", str(path)]) == 2
    assert said in capsys.readouterr().err
