"""The metrics that a run has: those of its benchmark that its answers were scored by, or those that its host logged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_of
from spiqa_tasks.benchmarks.scorer import missing_text_metrics

if TYPE_CHECKING:
    from spiqa_tasks.runs.run import Run

LOGGED = "metrics"
"""The detail of a record of a host's task that lists the metrics which the host computed of it."""
P_RIGHT = "p_right"
"""The probability that a classifier of `spiqa-tasks shortcuts` gives to the right option, of its runs alone."""


def of_run(run: Run) -> list[Metric]:
    """Return the metrics of a run, the headline first."""
    if run.benchmark is None:
        return _of_host(run)
    known = {name for record in (*run.records, *run.questions) for name in record.scores}
    known |= {str(verdict["metric"]) for record in run.questions for verdict in record.verdicts}
    every = [metric for metric in run.benchmark.metrics(run.settings) if metric.name not in run.omitted]
    every += [mean_of(P_RIGHT)] if P_RIGHT in known else []
    texts = {metric.name for metric in every if metric.needs == "text programs"}
    computed = texts & run.reported.keys() or {
        name for name in texts if name.removesuffix("_released") not in missing_text_metrics()
    }
    judged = known & {metric.name for metric in every if metric.needs == "judge"}
    return [metric for metric in every if _is_available(metric, judged, computed)]


def _is_available(metric: Metric, judged: Collection[str], computed: Collection[str]) -> bool:
    """Whether a judge was asked for the metric (for rates of its failures: for any), or programs computed it."""
    if metric.needs == "judge":
        return metric.name in judged or (bool(judged) and not metric.higher_is_better)
    return metric.needs != "text programs" or metric.name in computed


def _of_host(run: Run) -> list[Metric]:
    """The metrics of a host's task: what its YAML calls the headline, `accuracy`, then those that have scores."""
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
