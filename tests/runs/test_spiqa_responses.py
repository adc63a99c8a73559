"""SPIQA's own response files, as the released evaluation scripts write them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.join import match
from spiqa_tasks.runs.spiqa_responses import read_responses

PERFIGURE = rows_for_scoring("spiqa", "demo", "setting=perfigure,max_figures=0")


def row(paper_id: str, position: int, question: str) -> dict[str, Any]:
    """Return a row with the fields that the reader needs."""
    row_id = f"{paper_id}/{position}"
    told = {"question": question, "answer": f"answer {position}", "question_id": row_id, "step": ""}
    return {"id": row_id, "paper_id": paper_id, **told}


ROWS = [
    row("p1", 0, "How many? "),
    row("p1", 1, "Same?"),
    row("p1", 2, "Same?"),
    row("p2", 0, "Why?"),
]


def write(folder: Path, paper_id: str, entries: dict[str, Any]) -> None:
    """Write a response file; entries may leave out the fields that a script writes in each."""
    whole = {
        key: {
            "referred_figures_indices": [0],
            "all_figures_names": ["f.png"],
            "answer": "a",
            **entry,
        }
        for key, entry in entries.items()
    }
    (folder / f"{paper_id}_response.json").write_text(json.dumps(whole))


def answers(place: Path, rows: Sequence[dict[str, Any]] = ROWS) -> dict[str, str]:
    """Id -> answer."""
    found, _ = match(place, read_responses(place), rows, has_keys=True)
    return {key: answer.response.text for key, answer in found.items()}


def test_a_question_is_found_by_its_text_and_among_equal_texts_by_its_position(
    tmp_path: Path,
) -> None:
    """A and val write positions as keys, and one paper asks the same question twice."""
    write(
        tmp_path,
        "p1",
        {
            "0": {"question": " How many?", "response": "5"},
            "2": {"question": "Same?", "response": "z"},
        },
    )
    write(tmp_path, "p2", {"0": {"question": "Why?", "response": "w"}})
    assert answers(tmp_path) == {"p1/0": "5", "p1/2": "z", "p2/0": "w"}


def test_keys_that_are_no_positions_are_matched_by_text(tmp_path: Path) -> None:
    """B and C write the release's `question_key`."""
    entries = {
        "69": {"question": "Same?", "response": "of two"},
        "1": {"question": "How many?", "response": "5"},
        "71": {"question": "Gone?", "response": "x"},
    }
    write(tmp_path, "p1", entries)
    assert answers(tmp_path) == {"p1/0": "5"}


def test_the_figures_shown_come_from_the_file(tmp_path: Path) -> None:
    """The scripts shuffle without a seed, so only the file knows which figure was Image 1."""
    entry = {"question": "Why?", "response": "w", "all_figures_names": ["b.png", "a.png"]}
    write(tmp_path, "p2", {"0": entry, "1": {**entry, "all_figures_names": None}})
    known, unknown = read_responses(tmp_path)
    assert (known.response.shown, known.question, known.id) == (("b.png", "a.png"), "Why?", "p2/0")
    assert unknown.response.shown == ()


@pytest.mark.parametrize("texts", [["Yes"], "Yes"])
def test_a_response_per_figure_of_another_form_is_refused(tmp_path: Path, texts: Any) -> None:
    """The message names the file and the question."""
    write(tmp_path, "p2", {"0": {"question": "Why?", "response": {"f.png": texts}}})
    with pytest.raises(InputError) as error:
        read_responses(tmp_path)
    assert (
        str(error.value)
        == "Expected a text or, per figure, [Yes or No, answer] as the response to 0 in "
        f"{tmp_path / 'p2_response.json'}; found {texts!r} for f.png. Ask the model again."
    )


def test_responses_in_another_column_are_refused_with_the_columns(tmp_path: Path) -> None:
    """As of another team's scripts."""
    write(tmp_path, "p2", {"0": {"question": "Why?"}})
    with pytest.raises(InputError, match=r"by --columns prediction=COLUMN\.$"):
        read_responses(tmp_path)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Right answers to every demo question per figure; the first question's is not helpful."""
    files: dict[str, dict[str, Any]] = {}
    for each in PERFIGURE:
        if each["referred"] and each["step"] == "helpful":
            paper = files.setdefault(each["paper_id"], {})
            entry = {"question": each["question"], "answer": each["answer"], "response": {}}
            entry = paper.setdefault(each["question_id"].rpartition("/")[2], entry)
            is_first = each["question_id"] == PERFIGURE[0]["question_id"]
            entry["response"][each["figures"][0]["file"]] = [
                "I do not" if is_first else "Yes",
                each["answer"],
            ]
    for paper_id, questions in files.items():
        (tmp_path / f"{paper_id}_response.json").write_text(json.dumps(questions))
    return tmp_path


def test_response_files_are_scored_as_answers_to_a_task_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A response has more than the answer; which part is the answer depends on the prompt."""
    entry = {"question": "How many?", "response": "{'Image': 1, 'Rationale': 'b', 'Answer': 'a'}"}
    write(tmp_path, "p1", {"0": entry})
    assert main(["score", str(tmp_path)]) == 2
    message = f"Which task do the answers in {tmp_path} belong to? Add --task, such as spiqa_testA."
    assert message in capsys.readouterr().err.replace("\n", " ")


def test_released_answers_per_figure_are_of_the_task_with_the_referred_figures(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every question is complete though only some figures were asked about."""
    task = "spiqa_demo_perfigure_referred"
    status, result, errors = run_json(capsys, "score", task, released)
    questions = len({row["question_id"] for row in PERFIGURE})
    assert status == 0, errors
    assert result["metrics"]["incomplete_rate"] == 0
    assert result["metrics"]["unhelpful_rate"] == pytest.approx(1 / questions)
    assert result["metrics"]["rouge_l"] == pytest.approx(1 - 1 / questions)
    assert "predictions:spiqa-responses" in result["signature"]
    assert "questions:" not in result["signature"]
    status, result, errors = run_json(capsys, "score", "spiqa_demo_perfigure", released)
    assert (status, result["metrics"]["rouge_l"]) == (3, None), errors


def test_answers_about_every_figure_are_those_of_the_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script that asks about all of them makes the paper's task; where one is missing the
    question is not whole.
    """
    files: dict[str, dict[str, Any]] = {}
    for each in PERFIGURE:
        key = each["question_id"].rpartition("/")[2]
        entry = {"question": each["question"], "answer": each["answer"], "response": {}}
        entry = files.setdefault(each["paper_id"], {}).setdefault(key, entry)
        entry["response"][each["figures"][0]["file"]] = [
            "Yes" if each["referred"] else "No",
            each["answer"],
        ]
    for paper_id, questions in files.items():
        (tmp_path / f"{paper_id}_response.json").write_text(json.dumps(questions))
    status, result, errors = run_json(capsys, "score", "spiqa_demo_perfigure", tmp_path)
    assert (status, result["metrics"]["rouge_l"]) == (0, pytest.approx(1.0)), errors
    assert "figures=all" in result["signature"]
    first, *_ = files
    questions = files[first]
    next(iter(questions.values()))["response"].popitem()
    (tmp_path / f"{first}_response.json").write_text(json.dumps(questions))
    status, result, _ = run_json(capsys, "score", "spiqa_demo_perfigure", tmp_path)
    assert (status, result["metrics"]["rouge_l"]) == (3, None)


def test_files_are_read_by_tasks_of_their_kind_only(released: Path) -> None:
    """A response per figure is none to the question."""
    with pytest.raises(InputError, match=r"Expected answers to the task's questions"):
        match(released, read_responses(released), rows_for_scoring("spiqa", "demo", ""), True)
