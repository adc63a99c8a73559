"""SPIQA's own response files, as the released evaluation scripts write them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.readers.spiqa_responses import read_answers, with_row_ids

PERFIGURE = rows_for_scoring("spiqa", "demo", "setting=perfigure,max_figures=0")


def row(paper_id: str, position: int, question: str) -> dict[str, Any]:
    """What of a row the reader needs."""
    row_id = f"{paper_id}/{position}"
    told = {"question": question, "answer": f"answer {position}", "question_id": row_id, "step": ""}
    return {"id": row_id, "paper_id": paper_id, **told}


RESPONSE = (
    "Expected the response to question 0 of {} to be text, or [Yes or No, answer] for each figure;"
    " found"
)
ROWS = [
    row("p1", 0, "How many? "),
    row("p1", 1, "Same?"),
    row("p1", 2, "Same?"),
    row("p2", 0, "Why?"),
]


def write(folder: Path, paper_id: str, entries: dict[str, Any]) -> None:
    """A response file; entries without a question of their own get what a script writes beside
    it.
    """
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
    found, form = with_row_ids(read_answers(place), rows)
    assert form == "spiqa-responses"
    return {answer.id: answer.response.text for answer in found}


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
    same = {
        "69": {"question": "Same?", "response": "first"},
        "70": {"question": "Same?", "response": "second"},
    }
    write(tmp_path, "p1", {**same, "71": {"question": "Gone?", "response": "x"}})
    assert answers(tmp_path) == {"p1/1": "first", "p1/2": "second", "p1/71": "x"}


@pytest.mark.parametrize("order", [("69", "70"), ("70", "69")])
def test_of_two_questions_with_the_same_text_the_true_answer_tells(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    """Whatever the order in the file."""
    entries = {
        "69": {"question": "Same?", "response": "to 1", "answer": "answer 1"},
        "70": {"question": "Same?", "response": "to 2", "answer": "answer 2"},
    }
    write(tmp_path, "p1", {key: entries[key] for key in order})
    assert answers(tmp_path) == {"p1/1": "to 1", "p1/2": "to 2"}


def test_the_figures_shown_come_from_the_file(tmp_path: Path) -> None:
    """The scripts shuffle without a seed, so only the file knows which figure was Image 1."""
    entry = {"question": "Why?", "response": "w", "all_figures_names": ["b.png", "a.png"]}
    write(tmp_path, "p2", {"0": entry, "1": {**entry, "all_figures_names": None}})
    known, unknown = read_answers(tmp_path)
    assert (known.response.shown, known.question, known.id) == (("b.png", "a.png"), "Why?", "p2/0")
    assert unknown.response.shown == ()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"question": "Why?", "response": {"f.png": ["Yes"]}},
            f"{RESPONSE} ['Yes'] for f.png. Ask the model again.",
        ),
        (
            {"question": "Why?", "response": {"f.png": "Yes"}},
            f"{RESPONSE} 'Yes' for f.png. Ask the model again.",
        ),
        (
            {"response": "w"},
            (
                "Expected question 0 of {} to have question and response, found"
                " referred_figures_indices, all_figures_names, answer, response. No column looks"
                " like question: add it."
            ),
        ),
        (
            {"question": "Why?"},
            (
                "Expected question 0 of {} to have question and response, found"
                " referred_figures_indices, all_figures_names, answer, question. Name the columns,"
                " such as --columns prediction=answer."
            ),
        ),
    ],
)
def test_a_response_of_another_form_is_refused_by_name(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    """The message names the file and the question."""
    write(tmp_path, "p2", {"0": entry})
    with pytest.raises(InputError) as error:
        read_answers(tmp_path)
    assert str(error.value) == message.format(tmp_path / "p2_response.json")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Right answers to every demo question per figure; the first question's figure is found
    unhelpful.
    """
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


@pytest.mark.parametrize("task", ["spiqa_demo_perfigure", "spiqa_demo_perfigure_both"])
def test_released_answers_are_scored_as_the_task_they_belong_to(
    released: Path, capsys: pytest.CaptureFixture[str], task: str
) -> None:
    """Every question is complete though only some figures were asked about, which the settings
    say.
    """
    status, result, errors = run_json(capsys, "score", task, released)
    questions = len({row["question_id"] for row in PERFIGURE})
    assert status == 0, errors
    assert result["metrics"]["incomplete_rate"] == 0
    assert result["metrics"]["unhelpful_rate"] == pytest.approx(1 / questions)
    assert result["metrics"]["rouge_l"] == pytest.approx(1 - 1 / questions)
    assert "predictions:spiqa-responses-per-figure" in result["signature"]
    assert "questions:" not in result["signature"]
    assert "figures=referred" in result["signature"]
    assert (
        "scored as it was made, with"
        f" {result['signature'].partition('settings:')[2].partition('|')[0]}" in errors
    )


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


def test_files_are_read_by_tasks_of_their_kind_only(released: Path, tmp_path: Path) -> None:
    """The sentence names the task that fits."""
    with pytest.raises(InputError) as error:
        with_row_ids(read_answers(released), rows_for_scoring("spiqa", "demo", ""))
    question = PERFIGURE[0]["question_id"]
    assert (
        str(error.value)
        == f"Expected one response to question {question}; score them as the task with _perfigure."
    )
    (tmp_path / "direct").mkdir()
    key = question.rpartition("/")[2]
    write(
        tmp_path / "direct",
        PERFIGURE[0]["paper_id"],
        {key: {"question": PERFIGURE[0]["question"], "response": "w"}},
    )
    with pytest.raises(InputError) as error:
        with_row_ids(read_answers(tmp_path / "direct"), PERFIGURE)
    assert (
        str(error.value)
        == f"Expected a response per figure to question {question}; score them as the task without"
        " _perfigure."
    )
