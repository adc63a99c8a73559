"""What is known of a metric that a host computed: its unit, and whether scores of single questions make it up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, withheld
from spiqa_tasks.runs.available_metrics import LOGGED

if TYPE_CHECKING:
    from spiqa_tasks.runs.run import Run

UNITS = {
    ("mmbench", "gpt_eval_score"): 100.0,
    ("mathvista", "llm_as_judge_eval"): 100.0,
    ("mmmu_", "mmmu_acc"): 1.0,
    ("seedbench", "seed_image"): 1.0,
    ("seedbench", "seed_all"): 1.0,
}
"""(beginning of the task's name, metric) -> what the host's value is divided by to be a share."""
_NAMES = {"shares": 1.0, "percent": 100.0}
"""The units that a task's YAML may name as `metadata: {unit: shares}` or `percent`."""
_ROUNDING = 0.5e-4 + 1e-9
"""Hosts print shares with four decimals, percent with two."""


def unit(task: str, metric: str, config: Mapping[str, Any]) -> float | None:
    """Return what the host's value is divided by to be a share; None where the unit is not known."""
    metadata = config.get("metadata")
    named = metadata.get("unit") if isinstance(metadata, Mapping) else None
    known = (value for (name, each), value in UNITS.items() if task.startswith(name) and metric == each)
    return _NAMES.get(str(named), next(known, None))


def is_reported(task: str, config: Mapping[str, Any], reported: Mapping[str, float], metric: str, mean: float) -> bool:
    """Return whether a mean of scores is what the host reports: in its unit or, where that is not known, in any."""
    divisor = unit(task, metric, config)
    divisors = _NAMES.values() if divisor is None else [divisor]
    return metric in reported and any(abs(mean - reported[metric] / each) <= _ROUNDING for each in divisors)


def total(run: Run, metric: Metric) -> Value:
    """Return what the host reports, as a share, of a metric of which no question has a score.

    To the host a failed request is a wrong answer, so that it is withheld where more than 1% of the requests failed.
    """
    reported, divisor = run.reported.get(metric.name), unit(run.task, metric.name, run.config)
    if reported is None:
        return Value(math.nan, 0, reason="no question has a score, and the host reports no value")
    if divisor is None or not 0 <= reported / divisor <= 1:
        of = "an unknown unit" if divisor is None else next(name for name, each in _NAMES.items() if each == divisor)
        return Value(math.nan, 0, reason=f"no question has a score, and the host reports {reported:g} in {of}")
    asked = [record for record in run.records if metric.name in record.details[LOGGED]]
    answered = sum(record.status != "request_failed" for record in asked)
    return withheld(answered, len(asked)) or Value(reported / divisor, answered)


def remarks(run: Run, metric: Metric) -> list[str]:
    """Return what is to be said of a value where the host puts its scores together otherwise than by their mean.

    POPE's F1 and the average over axes of lmms-eval's `mmstar` are such metrics.
    """
    value = run.value(metric)
    if run.benchmark is not None or metric.name not in run.reported or math.isnan(value.value) or not value.scores:
        return []
    asked = sum(metric.name in record.details[LOGGED] for record in run.records)  # failed requests, too
    mean = math.fsum(value.scores.values()) / asked
    if is_reported(run.task, run.config, run.reported, metric.name, mean):
        return []
    return [
        f"{metric.name} of {run.name} is the mean of its scores, {value.value:.4f}, which is not what the host "
        f"reports, {run.reported[metric.name]:g}"
    ]
