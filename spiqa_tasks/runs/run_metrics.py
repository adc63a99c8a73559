"""The metrics that a run has, and what is known of those that a host computed: their unit and their scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_of, withheld
from spiqa_tasks.benchmarks.scorer import missing_text_metrics

if TYPE_CHECKING:
    from spiqa_tasks.runs.run import Run

LOGGED = "metrics"
"""The detail of a record of a host's task that lists the metrics which the host computed of it."""
P_RIGHT = "p_right"
"""The probability that a classifier of `filter --classifiers` gives to the right option, of its runs alone."""
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


def of_benchmark(run: Run) -> list[Metric]:
    """Return the metrics of a run of this package's task, the headline first."""
    known = {name for record in (*run.records, *run.questions) for name in record.scores}
    known |= {str(verdict["metric"]) for record in run.questions for verdict in record.verdicts}
    every = [metric for metric in run.own.entry.metrics(run.settings) if metric.name not in run.omitted]
    every += [mean_of(P_RIGHT)] if P_RIGHT in known else []
    texts = {metric.name for metric in every if metric.needs == "text programs"}
    computed = texts & run.reported.keys() or {
        name for name in texts if name.removesuffix("_released") not in missing_text_metrics()
    }
    judged = known & {metric.name for metric in every if metric.needs == "judge"}
    if judged:  # the rates of its failures are there whatever a judge was asked for
        judged |= {metric.name for metric in every if metric.needs == "judge" and not metric.higher_is_better}
    there = {"judge": judged, "text programs": computed}
    return [metric for metric in every if metric.needs not in there or metric.name in there[metric.needs]]


def of_host(run: Run) -> list[Metric]:
    """Return the metrics of a host's task: the headline of its YAML, `accuracy`, then those that have scores."""
    logged = dict.fromkeys(name for record in run.records for name in record.details[LOGGED])
    scored = {name for record in run.records for name in record.scores}
    entries = run.config.get("metric_list") or ()
    worse = {entry["metric"] for entry in entries if isinstance(entry, dict) and entry.get("higher_is_better") is False}
    metadata = run.config.get("metadata")
    headline = metadata.get("headline") if isinstance(metadata, Mapping) else None

    def order(name: str) -> tuple[bool, ...]:
        return name != headline, name != "accuracy", name in worse, name not in scored, name not in run.reported

    return [_logged_metric(name, name not in worse) for name in sorted(logged, key=order)]


def _logged_metric(name: str, higher_is_better: bool) -> Metric:
    """The mean over the questions that the host computed the metric of."""
    mean = mean_of(name)

    def compute(records: Any) -> Value:
        return mean.compute([record for record in records if name in record.details.get(LOGGED, ())])

    return Metric(name, compute, higher_is_better)


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
