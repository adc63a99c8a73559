"""Metric values that the host logs and aggregates, each with its record, from which any metric can be computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.results_file import BASELINE, metric_values
from spiqa_tasks.benchmarks.scorer import Scorer


class LoggedRecord(dict[str, Any]):
    """A metric's value of one answer, as the host logs it.

    Attributes:
        metric: the row's name, `metric` or `metric/group`.
        record: the answer's.
        task: benchmark and settings of the task.
    """

    def __init__(self, values: dict[str, Any], metric: str, record: Record, task: tuple[str, str]) -> None:
        super().__init__(values)
        self.metric = metric
        self.record = record
        self.task = task

    def __reduce__(self) -> tuple[Any, ...]:  # the host gathers the values of several processes by pickling
        return LoggedRecord, (dict(self), self.metric, self.record, self.task)


def logged_values(record: Record, scorer: Scorer, task: tuple[str, str]) -> dict[str, Any]:
    """Return the result of `process_results`: the values of `metric_values` for the rows of the host's table."""
    known = {metric.name: metric for metric in scorer.metrics}
    names = [(name, *name.partition("/")[::2]) for name in scorer.benchmark.rows_of_table(scorer.settings)]
    rows = {name: (known[metric], group or None) for name, metric, group in names if metric in known}
    logged = metric_values(record, rows, scorer.joins)
    headline = next((values.get("score") for values in logged.values()), None)
    if record.status == "scoring_failed":
        logged[SCORING_FAILED.name] = {"id": record.id, "reason": record.reason}
    found: dict[str, Any] = {name: LoggedRecord(values, name, record, task) for name, values in logged.items()}
    return found if headline is None else {**found, BASELINE: headline}


def record_of(sample: Mapping[str, Any]) -> Record | None:
    """Return the record in a logged sample, or None."""
    logged = [value for value in sample.values() if isinstance(value, dict) and "id" in value and "status" in value]
    return Record.from_dict(logged[0]) if logged else None
