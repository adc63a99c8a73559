"""The answer files of the released open-model scripts: [yes or no, answer] for each figure that the answer needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.spiqa_responses import read_responses

ROWS = rows_for_scoring("spiqa", "demo", "setting=perfigure,max_figures=0")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Right answers to every demo question; the first question's figure is found unhelpful."""
    files: dict[str, dict[str, Any]] = {}
    for row in ROWS:
        if row["referred"] and row["step"] == "helpful":
            paper = files.setdefault(row["paper_id"], {})
            entry = {"question": row["question"], "answer": row["answer"], "response": {}}
            entry = paper.setdefault(row["question_id"].rpartition("/")[2], entry)
            is_first = row["question_id"] == ROWS[0]["question_id"]
            entry["response"][row["figures"][0]["file"]] = ["I do not" if is_first else "Yes", row["answer"]]
    for paper_id, questions in files.items():
        (tmp_path / f"{paper_id}_response.json").write_text(json.dumps(questions))
    return tmp_path


@pytest.mark.parametrize("task", ["spiqa_demo_perfigure", "spiqa_demo_perfigure_both"])
def test_released_answers_are_scored_as_the_task_they_belong_to(
    released: Path, capsys: pytest.CaptureFixture[str], task: str
) -> None:
    """Every question is complete though only some figures were asked about; the unhelpful one is counted."""
    status, result, errors = run_json(capsys, "score", task, released)
    questions = len({row["question_id"] for row in ROWS})
    assert status == 0, errors
    assert result["metrics"]["incomplete_rate"] == 0
    assert result["metrics"]["unhelpful_rate"] == pytest.approx(1 / questions)
    assert result["metrics"]["rouge_l"] == pytest.approx(1 - 1 / questions)
    assert "predictions:spiqa-responses-per-figure" in result["signature"]
    assert "are of figures that it does not ask about" in errors


def test_files_are_read_by_tasks_of_their_kind_only(released: Path) -> None:
    """The direct task names the one that fits; a pair that is none is named with its figure."""
    paths = sorted(released.iterdir())
    with pytest.raises(InputError, match="Score them as the _perfigure task"):
        read_responses(paths, rows_for_scoring("spiqa", "demo", ""))
    content = json.loads(paths[0].read_text())
    entry = next(iter(content.values()))
    figure = next(iter(entry["response"]))
    entry["response"][figure] = ["Yes"]
    paths[0].write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"Expected .Yes or No, answer. for {figure}"):
        read_responses(paths, ROWS)
