"""Metric values that the host logs and aggregates, each with its record.

Every value carries its record, through the host's gathering of processes too, so that an aggregation can compute any
metric from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED, Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.results_file import BASELINE, metric_values
from spiqa_tasks.benchmarks.scorer import Scorer


class LoggedRecord(dict[str, Any]):
    """A metric's value of one answer, as the host logs it.

    Attributes:
        metric: the row's name, `metric` or `metric/group`.
        record: the answer's.
        task: benchmark and settings of the task, which say how it is scored.
    """

    def __init__(self, values: dict[str, Any], metric: str, record: Record, task: tuple[str, str]) -> None:
        super().__init__(values)
        self.metric = metric
        self.record = record
        self.task = task

    def __reduce__(self) -> tuple[Any, ...]:
        return LoggedRecord, (dict(self), self.metric, self.record, self.task)


def logged_values(record: Record, scorer: Scorer, task: tuple[str, str]) -> dict[str, Any]:
    """Return what `process_results` hands to the host.

    The values are those of `metric_values`, each with its record.
    """
    logged = metric_values(record, _rows(scorer), scorer.joins)
    found: dict[str, Any] = {name: LoggedRecord(values, name, record, task) for name, values in logged.items()}
    headline = next((values.get("score") for values in logged.values()), None)
    if record.status == "scoring_failed":
        name = SCORING_FAILED.name
        found[name] = LoggedRecord({"id": record.id, "reason": record.reason}, name, record, task)
    return found if headline is None else {**found, BASELINE: headline}


def record_of(sample: Mapping[str, Any]) -> Record | None:
    """Return the record in a logged sample; None where it has none of ours."""
    logged = [value for value in sample.values() if isinstance(value, dict) and "id" in value and "status" in value]
    return Record.from_dict(logged[0]) if logged else None


def _rows(scorer: Scorer) -> dict[str, tuple[Metric, str | None]]:
    """The rows of the host's table with their metrics and groups."""
    known = {metric.name: metric for metric in scorer.metrics}
    names = [(name, *name.partition("/")[::2]) for name in scorer.benchmark.rows_of_table(scorer.settings)]
    return {name: (known[metric], group or None) for name, metric, group in names if metric in known}
