"""The reported numbers of docs/mmstar.md, computed again from the answers that they are of."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from mmstar_release import write_questions
from pages import text_of
from run_command import run_json

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import lmms_eval_match, released_match, vlmevalkit_match

(TABLE,) = (
    part.splitlines()
    for part in text_of("mmstar").split("\n\n")
    if part.startswith("| letters read by")
)
METRICS = (
    *("accuracy", "accuracy_released", "accuracy_vlmevalkit"),
    *("accuracy_vlmevalkit_2026_06", "accuracy_lmms_eval"),
)
SUBMISSION = "llava_next_yi_34b_MMStar.xlsx"
"""The authors' file of 1,500 answers, `eval/submits` of their repository."""


def column(place: int) -> dict[str, str]:
    """Return metric -> number in a column of the page's table; `questions` has the number without a
    metric.
    """
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in TABLE[2:]]
    return {row[1] or "questions": row[place] for row in rows if row[place]}


def of_metrics(capsys: pytest.CaptureFixture[str], table: Path) -> dict[str, str]:
    """Return metric -> percent that `score` prints for a table of answers."""
    status, found, errors = run_json(capsys, "score", "mmstar_filtered", table, "--partial")
    assert status == 0, errors
    return {name: f"{100 * found['metrics'][name]:.2f}" for name in METRICS}


def test_the_answers_to_307_questions(
    capsys: pytest.CaptureFixture[str],
    real_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the form of the authors' submission, by the command."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    frame = pd.read_json(real_data / "mmstar/llava_next_34b_sample.jsonl", lines=True)
    write_questions(tmp_path, frame)
    frame.to_excel(tmp_path / SUBMISSION, index=False)
    hits = [
        lmms_eval_match(p) == a for p, a in zip(frame["prediction"], frame["answer"], strict=True)
    ]
    expected = of_metrics(capsys, tmp_path / SUBMISSION) | {
        "questions": f"{100 * sum(hits) / len(hits):.2f}"
    }
    assert column(3) == expected


def test_the_authors_whole_submission(
    capsys: pytest.CaptureFixture[str],
    real_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The paper's 52.1, where the file is here."""
    path = real_data / "mmstar" / SUBMISSION
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    write_questions(tmp_path, pd.read_excel(path))
    assert column(2) == of_metrics(capsys, path)


READ: dict[str, Callable[[str, dict[str, str]], str | None]] = {
    "accuracy": lambda response, choices: extract_choice(response, choices).letter,
    "accuracy_vlmevalkit": vlmevalkit_match,
    "accuracy_vlmevalkit_2026_06": partial(vlmevalkit_match, is_2026_06=True),
    "questions": lambda response, choices: lmms_eval_match(response, list(choices)),
}


@pytest.mark.parametrize(
    ("model", "place"),
    [("gpt-4o_vision_direct", 4), ("gpt-4o_standard(10 options)_cot", 5)],
    ids=["direct", "reasoning"],
)
def test_the_share_of_letters_that_are_read(real_data: Path, model: str, place: int) -> None:
    """Of answers that state one."""
    path = real_data / "mcq/answers.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    lines: list[Any] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    answers = [line for line in lines if line["model"] == model]
    assert f"({len(answers):,})" in TABLE[0].split("|")[place + 1]
    read = {
        name: sum(
            way(answer["response"], answer["choices"]) == answer["letter"] for answer in answers
        )
        for name, way in READ.items()
    }
    read["accuracy_released"] = sum(
        released_match(answer["response"], answer["letter"]) for answer in answers
    )
    assert column(place) == {
        name: f"{100 * count / len(answers):.1f}" for name, count in read.items()
    }
