"""Answers that exist already, scored by the code that scores them in a run of the host."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.offline.hooks import AGGREGATIONS, RECORDS, Aggregation, hook
from spiqa_tasks.offline.prediction_types import Matched, Prediction
from spiqa_tasks.offline.scored import L3SCORE, Metric, Records, Scored, count, sample
from spiqa_tasks.benchmarks.aggregation import MINIMUM_SCORED
from spiqa_tasks.benchmarks.signature import merged
from spiqa_tasks.metrics.text_scores import METRICS, available_metrics
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.judge.pending import Pending
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed
from spiqa_tasks.scoring.clustered import clustered_stderr
from spiqa_tasks.scoring.intervals import wilson
from spiqa_tasks.hosts.lmms_eval.catalogue import Task

Row = Mapping[str, Any]

_NORMAL_95 = 1.959963984540054


class _Rehearsal(L3Judge):
    """Notes what a judge would be asked, and asks nothing."""

    def __init__(self, judge: L3Judge) -> None:
        vars(self).update(vars(judge), engine=_Unasked())
        self.requests: list[JudgeRequest] = []

    def submit(self, request: JudgeRequest) -> Pending:
        self.requests.append(request)
        return _Unasked()

    def signature_fields(self) -> dict[str, str]:
        """Nothing is scored, so nothing is signed."""
        return {}


class _Unasked:
    """A verdict that nobody asked for, and the engine that was not asked."""

    def wait(self, *_: object, **__: object) -> None:
        """There is nothing to wait for."""

    def done(self) -> bool:
        return True

    def result(self, timeout: float | None = None) -> Verdict:  # noqa: ARG002 - the protocol's
        return failed("not asked")


def judge_requests(task: Task, rows: Sequence[Row], matched: Matched, judge: L3Judge) -> list[JudgeRequest]:
    """What the judge will be asked about the answers."""
    rehearsal = _Rehearsal(judge)
    recorder = RECORDS[hook(task.process_results)]
    records = [recorder(row, prediction.text, (), rehearsal) for row, prediction in _answered(rows, matched)]
    for name, aggregate in zip(task.metrics, task.aggregations, strict=True):
        of_metric = [each[name] for each in records if name in each]
        if of_metric and name in (L3SCORE, f"{L3SCORE}_released"):
            AGGREGATIONS[hook(aggregate)](of_metric, rehearsal)
    return rehearsal.requests


@dataclass(frozen=True)
class Recorded:
    """Answers with their records, one dict of them per answer; the judge's verdicts may still be on their way.

    `unavailable` says why a metric of the task cannot be computed here.
    """

    task: Task
    matched: Matched
    judge: L3Judge | None
    predictions: Sequence[Prediction]
    records: Sequence[Records]
    unavailable: Mapping[str, str]


def record_answers(task: Task, rows: Sequence[Row], matched: Matched, judge: L3Judge | None) -> Recorded:
    """Extract and compare every answer and hand it to the judge; does not wait for the judge.

    Args:
        task: whose scoring to apply.
        rows: the task's rows (pictures are not needed).
        matched: the answers.
        judge: None leaves L3Score out.
    """
    reasons = available_metrics() if set(METRICS) & set(task.metrics) else {}
    text_metrics = [name for name, reason in reasons.items() if reason is None]
    unavailable = {name: reason for name, reason in reasons.items() if reason is not None}
    if L3SCORE in task.metrics and judge is None:
        unavailable[L3SCORE] = "judging is switched off (--judge none, or SPIQA_JUDGE=none)"
    answered = list(_answered(rows, matched))
    recorder = RECORDS[hook(task.process_results)]
    records = [recorder(row, prediction.text, text_metrics, judge) for row, prediction in answered]
    return Recorded(task, matched, judge, [prediction for _, prediction in answered], records, unavailable)


def score_recorded(recorded: Recorded, label: str, judge_label: str | None = None) -> Scored:
    """The metrics of the task over the answers, when the judge has answered.

    Args:
        recorded: the answers with their records.
        label: what to call the answers.
        judge_label: what to call the judge.
    """
    records, judge = recorded.records, recorded.judge
    if judge is not None:
        judge.finish([record for each in records for record in each.values()])
    omitted = dict(recorded.unavailable)
    metrics = _metrics(recorded.task, records, judge, omitted)
    texts = [prediction.text for prediction in recorded.predictions]
    samples = [
        sample(prediction.id, prediction.text, each)
        for prediction, each in zip(recorded.predictions, records, strict=True)
    ]
    signed = [record["signature"] for each in records for record in each.values() if "signature" in record]
    judged_by = judge.signature_fields() if judge is not None else {}
    signature = merged(signed, predictions=recorded.matched.format, **judged_by)
    counts = count(records, texts) | recorded.matched.counts()
    return Scored(recorded.task.name, label, judge_label, metrics, omitted, counts, signature, samples)


def _answered(rows: Sequence[Row], matched: Matched) -> Iterator[tuple[Row, Prediction]]:
    for row in rows:
        prediction = matched.answers.get(row["id"])
        if prediction is not None:
            yield (row if prediction.shown is None else _as_shown(row, prediction.shown)), prediction


def _as_shown(row: Row, shown: Sequence[str]) -> Row:
    """The row with the figures that the model was really shown, in that order."""
    referred = {row["figures"][index]["file"] for index in row["referred"]}
    indices = [index for index, file in enumerate(shown) if file in referred]
    return {**row, "figures": [{"file": file} for file in shown], "referred": indices}


def _metrics(
    task: Task, records: Sequence[Records], judge: L3Judge | None, omitted: dict[str, str]
) -> dict[str, Metric]:
    """The metrics in the order of the YAML; those without a value are in `omitted`, which gains the withheld ones."""
    metrics: dict[str, Metric] = {}
    for name, aggregate in zip(task.metrics, task.aggregations, strict=True):
        of_metric = [each[name] for each in records if name in each]
        if of_metric:
            metrics[name] = _metric(of_metric, AGGREGATIONS[hook(aggregate)], judge)
            if metrics[name].value is None:
                omitted[name] = _why(of_metric)
        elif name in omitted:
            metrics[name] = Metric(None, 0)
    return metrics


def _metric(records: Sequence[dict[str, Any]], aggregate: Aggregation, judge: L3Judge | None) -> Metric:
    value = aggregate(records, judge)
    scored = [record for record in records if "score" in record or "prediction" in record]
    if math.isnan(value):
        return Metric(None, len(scored))
    return Metric(value, len(scored), _interval(value, scored))


def _interval(value: float, records: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Of a mean: clustered by paper where the records name one, else Wilson's, all other means being shares."""
    scores = [float(record["score"]) for record in records if "score" in record]
    if not scores or len(scores) < len(records) or not math.isclose(value, sum(scores) / len(scores), abs_tol=1e-9):
        return None
    if "paper_id" not in records[0]:
        return wilson(round(sum(scores)), len(scores))
    margin = _NORMAL_95 * clustered_stderr(scores, [record["paper_id"] for record in records])
    if math.isnan(margin):
        return None
    return max(0.0, value - margin), min(max(1.0, *scores), value + margin)


def _why(records: Sequence[Mapping[str, Any]]) -> str:
    scored = sum("score" in record or "prediction" in record for record in records)
    total = len({record.get("question_id", record["id"]) for record in records})
    if scored < MINIMUM_SCORED * total:
        return f"withheld: {scored} of {total} answers have a score, fewer than 99%"
    return "the metric's program failed; the log says why"
