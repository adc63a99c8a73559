"""Logged answers of tasks of ours and of the host: right or wrong, refused, of which question."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gain_files import host_samples
from host_files import write_run
from run_command import run_json

Gain = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """Runs the command: (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


@pytest.mark.parametrize(
    ("metric", "record"),
    [
        ("exact_match", lambda letter: float(letter == "A")),
        ("average", lambda letter: {"question_id": 1, "l2_category": "x", "score": int(letter == "A")}),
        ("seed_image", lambda letter: {"pred": letter, "answer": "A", "question_id": 1}),
        ("mmmu_acc", lambda letter: {"id": None, "answer": "A", "parsed_pred": [letter]}),
        ("llm_as_judge_eval", lambda letter: {"prediction": letter, "answer": "x", "true_false": letter == "A"}),
        (
            "gpt_eval_score",
            lambda letter: {"prediction": f"{letter}.", "answer": "A", "A": "yes", "B": "no", "C": "nan"},
        ),
    ],
)
def test_tasks_of_the_host_are_compared_too(
    tmp_path: Path, gain: Gain, metric: str, record: Callable[[str], Any]
) -> None:
    """Every form of record that the seven benchmarks write is read as right or wrong."""

    def samples(answers: str) -> list[dict[str, Any]]:
        lines = host_samples(answers, record, metric)
        for place, line in enumerate(lines):
            if isinstance(line[metric], dict) and "id" in line[metric]:
                line[metric]["id"] = f"validation_{place}"
        return lines

    write_run(tmp_path, "m", {"t": samples("AAAB")}, stamp="1", totals={"t": {metric: 75.0}})
    write_run(
        tmp_path, "ablated", {"t": samples("ABBB")}, "base=m,ablation=text", stamp="2", totals={"t": {metric: 0.25}}
    )
    status, records, _ = gain(tmp_path)
    assert status == 0
    assert (records[0]["s_v"], records[0]["s_wv"], records[0]["mg"]) == (0.75, 0.25, 0.5)
    assert records[0]["mg_low"] is not None


def test_host_numbers_count_where_questions_have_no_score(tmp_path: Path, gain: Gain) -> None:
    """A record that cannot be read, or whose reading disagrees with the host, leaves the host's own number."""
    for stamp, model, total in (("1", "m", 60.0), ("2", "ablated", 40.0)):
        lines = host_samples("AAAB", lambda letter: {"pred": letter, "answer": "A"}, "gpt_eval_score")
        args = "base=m,ablation=grey" if model == "ablated" else ""
        write_run(tmp_path, model, {"t": lines}, args, stamp=stamp, totals={"t": {"gpt_eval_score": total}})
    record = gain(tmp_path)[1][0]
    assert (record["s_v"], record["s_wv"], record["mg_low"]) == (0.6, 0.4, None)
    assert record["mg"] == pytest.approx(0.2)


def test_questions_without_the_metric_are_left_out(tmp_path: Path, gain: Gain) -> None:
    """`seed_image` is of image questions only."""
    lines = host_samples("AA", lambda letter: {"pred": letter, "answer": "A"}, "seed_image")
    lines += [{"doc_id": 9, "target": "A", "filtered_resps": "A", "seed_video": {"pred": "A", "answer": "A"}}]
    for stamp, model, args in (("1", "m", ""), ("2", "ablated", "base=m,ablation=text")):
        write_run(tmp_path, model, {"seedbench": lines}, args, stamp=stamp, totals={"seedbench": {"seed_image": 1.0}})
    assert gain(tmp_path)[1][0]["n"] == 2


def test_refusals_of_host_tasks_are_read_from_the_answer(tmp_path: Path, gain: Gain) -> None:
    """Where no record counts refusals, the wording does."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    lines[1]["filtered_resps"] = ["I'm sorry, I cannot see the image."]
    write_run(tmp_path, "m", {"t": lines}, stamp="1")
    write_run(tmp_path, "ablated", {"t": lines}, "base=m,ablation=text", stamp="2")
    assert gain(tmp_path)[1][0]["refused_wv"] == 0.5
