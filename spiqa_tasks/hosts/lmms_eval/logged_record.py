"""What the host logs and aggregates of a record: the whole of it under one metric, its id and score under the others.

Every value carries its record, through the host's gathering of processes too, so that an aggregation can compute any
metric from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED, Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.scorer import Scorer

BASELINE = "score"
"""The key of a sample at which the host's `--baseline` looks for the answer's score; no row of the table."""


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

    The first metric that can be computed, the headline wherever it is one, holds the whole record. Of the others,
    only those that measure the answers have the cluster, of which the host makes clustered standard errors; shares of
    what went wrong and metrics without a score for each answer do without.
    """
    found: dict[str, Any] = {}
    scores: dict[str, float | None] = {}
    for name, metric in _rows(record, scorer):
        if metric.name not in scores:
            scores[metric.name] = scorer.answer_score(metric, record)
        score = scores[metric.name]
        values: dict[str, Any] = {"id": record.id} if found else record.as_dict()
        if score is not None:
            clustered = metric.higher_is_better and record.cluster is not None
            values |= {"cluster": record.cluster, "score": score} if clustered else {"score": score}
        found[name] = LoggedRecord(values, name, record, task)
    if record.status == "scoring_failed":
        name = SCORING_FAILED.name
        found[name] = LoggedRecord({"id": record.id, "reason": record.reason}, name, record, task)
    headline = next(iter(scores.values()), None)
    return found if headline is None else {**found, BASELINE: headline}


def record_of(sample: Mapping[str, Any]) -> Record | None:
    """Return the record in a logged sample; None where it has none of ours."""
    logged = [value for value in sample.values() if isinstance(value, dict) and "id" in value and "status" in value]
    return Record.from_dict(logged[0]) if logged else None


def _rows(record: Record, scorer: Scorer) -> Iterable[tuple[str, Metric]]:
    """The rows of the table that the record is part of, with their metrics."""
    known = {metric.name: metric for metric in scorer.metrics}
    for name in scorer.benchmark.rows_of_table(scorer.settings):
        metric, _, group = name.partition("/")
        if metric in known and (not group or group in record.groups.values()):
            yield name, known[metric]
