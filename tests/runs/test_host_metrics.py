"""What is known of a metric that a host computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from gain_files import host_samples
from host_files import FAILED, write_run
from report_runs import runs_at

from spiqa_tasks.runs.host_metrics import is_reported, remarks, unit
from spiqa_tasks.runs.run import Run


def run_of(
    folder: Path, lines: Sequence[Any], reported: float, task: str = "mmmu_val", metric: str = "mmmu_acc"
) -> Run:
    write_run(folder, "m", {task: lines}, totals={task: {metric: reported}})
    (run,) = runs_at(folder)
    return run


def lines(answers: str, metric: str = "mmmu_acc") -> list[dict[str, Any]]:
    """Samples without a score of their own."""
    return host_samples(answers, lambda letter: {"x": letter}, metric)


@pytest.mark.parametrize(
    ("task", "metric", "config", "expected"),
    [
        ("mmbench_en_dev_static", "gpt_eval_score", {}, 100.0),
        ("mmbench_cn_dev", "gpt_eval_score", {"metadata": [{"version": 0.0}]}, 100.0),
        ("mathvista_testmini_format", "llm_as_judge_eval", {}, 100.0),
        ("mmmu_val", "mmmu_acc", {}, 1.0),
        ("mmmu_val", "other", {}, None),
        ("t", "gpt_eval_score", {}, None),
        ("t", "x", {"metadata": {"unit": "percent"}}, 100.0),
        ("t", "x", {"metadata": {"unit": "shares"}}, 1.0),
        ("t", "x", {"metadata": {"unit": "points"}}, None),
    ],
)
def test_the_unit_is_that_of_the_tasks_metric(task: str, metric: str, config: Any, expected: float | None) -> None:
    """Known of some, named by a YAML of one's own, or not known."""
    assert unit(task, metric, config) == expected


@pytest.mark.parametrize(
    ("task", "metric", "reported", "expected"),
    [
        ("mmbench_en_dev_static", "gpt_eval_score", 0.52, 0.0052),
        ("mmbench_en_dev_static", "gpt_eval_score", 52.0, 0.52),
        ("mmmu_val", "mmmu_acc", 0.52, 0.52),
        ("mmmu_val", "mmmu_acc", 1.0, 1.0),
    ],
)
def test_the_hosts_number_is_in_its_unit_however_small(
    tmp_path: Path, task: str, metric: str, reported: float, expected: float
) -> None:
    """0.52 percent are no share of 0.52."""
    run = run_of(tmp_path, lines("AB", metric), reported, task, metric)
    assert run.value(run.metric(metric)).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("task", "reported", "reason"),
    [
        ("mmmu_val", 52.0, "no question has a score, and the host reports 52 in shares"),
        ("mmmu_val", -0.5, "no question has a score, and the host reports -0.5 in shares"),
        ("t", 0.52, "no question has a score, and the host reports 0.52 in an unknown unit"),
    ],
)
def test_a_number_of_an_unknown_or_another_unit_is_withheld(
    tmp_path: Path, task: str, reported: float, reason: str
) -> None:
    """With the reason."""
    run = run_of(tmp_path, lines("AB"), reported, task)
    value = run.value(run.metric("mmmu_acc"))
    assert (math.isnan(value.value), value.reason) == (True, reason)


def test_the_hosts_number_is_withheld_where_requests_failed(tmp_path: Path) -> None:
    """To the host they are wrong answers: more than 1% of them, of the questions that the metric is of."""
    for failed, is_known in ((1, True), (2, False)):
        samples = lines("A" * 100)
        for sample in samples[:failed]:
            sample["filtered_resps"] = FAILED
        run = run_of(tmp_path, [*samples, {"doc_id": 999, "other": 1}], 0.5)
        value = run.value(run.metric("mmmu_acc"))
        assert (value.value == 0.5) == is_known
        assert value.reason == (None if is_known else "98 of 100 answers have a score, fewer than 99%")


@pytest.mark.parametrize(
    ("reported", "agrees", "in_percent"),
    [(0.75, True, False), (0.75004, True, False), (0.7501, False, False), (75.0, True, True), (75.01, False, False)],
)
def test_a_mean_is_what_the_host_reports_to_four_decimals(reported: float, agrees: bool, in_percent: bool) -> None:
    """In the unit of the metric; where that is not known, in any."""
    assert is_reported("t", {}, {"x": reported}, "x", 0.75) == agrees
    config = {"metadata": {"unit": "percent"}}
    assert is_reported("t", config, {"x": reported}, "x", 0.75) == in_percent
    assert not is_reported("t", {}, {}, "x", 0.75)


def test_a_mean_of_scores_that_the_host_puts_together_otherwise_has_a_remark(tmp_path: Path) -> None:
    """POPE's F1 has the scores of its accuracy; a failed request, which is wrong to the host, makes no such case."""
    scored = host_samples("AAAB" * 50, lambda letter: {"score": float(letter == "A")}, "f1")
    run = run_of(tmp_path, scored, 0.6, "pope", "f1")
    assert remarks(run, run.metric("f1")) == [
        "f1 of m is the mean of its scores, 0.7500, which is not what the host reports, 0.6"
    ]
    same = run_of(tmp_path, scored, 75.0, "pope", "f1")
    assert remarks(same, same.metric("f1")) == []
    scored[0]["filtered_resps"] = FAILED
    failed = run_of(tmp_path, scored, 0.745, "pope", "f1")
    assert remarks(failed, failed.metric("f1")) == []
    unscored = run_of(tmp_path, lines("AB"), 0.5)
    assert remarks(unscored, unscored.metric("mmmu_acc")) == []
