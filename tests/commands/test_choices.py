"""`spiqa-tasks choices`: what it prints, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.scoring.mcq import REASONS

OPTIONS = {"A": "red", "B": "blue"}
ROWS = [
    {"id": "x", "response": "The answer is (B).", "choices": OPTIONS},
    {"id": "y", "response": "It is blue, not red.", "choices": OPTIONS},
    {"id": "z", "response": "I cannot see the image.", "choices": OPTIONS},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as jsonl."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_answer_has_a_letter_a_rule_and_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON with how many there are by rule."""
    status, printed, errors = run_json(capsys, "choices", write(tmp_path / "answers.jsonl", ROWS))
    assert (status, errors) == (0, "")
    assert printed["answers"] == [
        {"id": "x", "letter": "B", "rule": "answer_line", "reason": REASONS["answer_line"]},
        {"id": "y", "letter": "B", "rule": "text", "reason": REASONS["text"]},
        {"id": "z", "letter": None, "rule": "refusal", "reason": REASONS["refusal"]},
    ]
    assert (printed["n"], printed["found"], printed["rules"]) == (
        3,
        2,
        {"answer_line": 1, "text": 1, "refusal": 1},
    )


def test_other_columns_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answers and the options may be called anything."""
    path = write(
        tmp_path / "answers.jsonl", [{"said": "B", "picks": ["red", "blue"], "response": "A"}]
    )
    status, printed, _ = run_json(
        capsys, "choices", path, "--columns", "prediction=said,options=picks"
    )
    assert (status, [answer["letter"] for answer in printed["answers"]]) == (0, ["B"])


@pytest.mark.parametrize("column", ["raw_response", "model_answer", "filtered_resps"])
def test_answers_are_found_under_the_names_of_other_tools(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    """Not the true answer beside them; a list of one text is that text."""
    rows = [{"id": "x", "target": "A", column: ["It is (B)."], "choices": OPTIONS}]
    status, printed, _ = run_json(capsys, "choices", write(tmp_path / "answers.jsonl", rows))
    assert (status, printed["answers"][0]["letter"]) == (0, "B")


def test_a_table_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The form of VLMEvalKit: a column for each option, the answer in `prediction`."""
    (tmp_path / "answers.tsv").write_text(
        "index\tquestion\tA\tB\tprediction\n7\tWhich?\tred\tblue\tIt is blue\n"
    )
    _, printed, _ = run_json(capsys, "choices", tmp_path / "answers.tsv")
    assert [(answer["id"], answer["letter"]) for answer in printed["answers"]] == [("7", "B")]


def test_the_keys_of_an_object_are_no_column_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are the ids; a message names the columns that the file has, here also a picture."""
    path = tmp_path / "answers.json"
    rows = {"x": {"said": "(B)", "figures": "x.png", "choices": OPTIONS}}
    path.write_text(json.dumps(rows))
    assert main(["choices", str(path)]) == 2
    assert "found the columns said, figures, choices." in capsys.readouterr().err

    _, printed, _ = run_json(capsys, "choices", path, "--columns", "prediction=said")
    assert [(answer["id"], answer["letter"]) for answer in printed["answers"]] == [("x", "B")]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], [], "found an empty file"),
        ([{"choices": OPTIONS}], [], "No column looks like prediction"),
        ([{"response": {"a": 1}, "choices": OPTIONS}], [], "in row 1 of "),
        ([ROWS[0]], ["--columns", "prediction=said"], "Expected the column said of --columns in "),
        ([{"response": "B", "choices": 7}], [], "found none in response, choices."),
    ],
)
def test_what_cannot_be_read_is_refused(
    rows: list[dict[str, Any]],
    options: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One sentence says which row, what was found, and what to do; nothing is printed."""
    path = write(tmp_path / "answers.jsonl", rows)
    assert main(["choices", str(path), *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
