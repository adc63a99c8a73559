"""Answers that exist already, scored by the code that scores them in a run of a host."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED, Metric, Value, in_group
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.signature import merged, parse
from spiqa_tasks.benchmarks.value_intervals import interval
from spiqa_tasks.hosts.lmms_eval.markers import response_of
from spiqa_tasks.offline.matching import Matched, Prediction

L3SCORE = "l3score"

UNFORMATTED = "unformatted_rate"
PLAIN = "jsonl"
"""The form of files that have nothing but ids and answers."""
COUNTED = {
    "unparsed_rate": "unparsed",
    UNFORMATTED: "unparsed",
    "truncated_rate": "truncated",
    "request_failed_rate": "request_failed",
}
"""The share -> what its number of answers is called."""


@dataclass(frozen=True)
class Number:
    """A metric's value in natural units (None: withheld), how many answers it is over, and its 95% interval if any."""

    value: float | None
    n: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Scored:
    """The scores of one file of answers (`label`) by one judge (None: no judge).

    `omitted` says why a metric has no value; `samples` has one entry per answer: {id, prediction, extracted, scores,
    status, rule, reason, record}; `remarks` are sentences for people.
    """

    task: str
    label: str
    judge: str | None
    metrics: Mapping[str, Number]
    omitted: Mapping[str, str]
    counts: Mapping[str, Any]
    signature: str
    samples: Sequence[Mapping[str, Any]]
    remarks: Sequence[str] = ()

    @property
    def l3scores(self) -> dict[str, float]:
        """L3Score per answer, by id; answers that could not be judged are left out."""
        return {sample["id"]: sample["scores"][L3SCORE] for sample in self.samples if L3SCORE in sample["scores"]}

    @property
    def complete(self) -> bool:
        """Whether every question had one answer and every answer could be scored."""
        names = ("missing", "unknown", "judge_failed", "request_failed", "scoring_failed")
        return not any(self.counts.get(name) for name in names)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `score --json` prints."""
        found: dict[str, Any] = {
            "task": self.task,
            "metrics": {name: metric.value for name, metric in self.metrics.items()},
            "counts": dict(self.counts),
            "signature": self.signature,
        }
        return found | ({"omitted": dict(self.omitted)} if self.omitted else {})


@dataclass(frozen=True)
class Answered:
    """The matched answers of one file, read but not judged: their predictions and records, in the order of the rows."""

    matched: Matched
    predictions: Sequence[Prediction]
    records: Sequence[Record]


def read(scorer: Scorer, rows: Sequence[Mapping[str, Any]], matched: Matched) -> Answered:
    """Return the records of the answers, each read once; no judge is asked.

    Args:
        scorer: the task's.
        rows: the task's rows (pictures are not needed).
        matched: the answers.
    """
    pairs = [(row, matched.answers[row["id"]]) for row in rows if row["id"] in matched.answers]
    records = [scorer.record(row, _response(prediction)) for row, prediction in pairs]
    return Answered(matched, [prediction for _, prediction in pairs], records)


def score(scorer: Scorer, task: str, answered: Answered, label: str, judge: str | None) -> Scored:
    """Return the metrics of the task over the answers, waiting for the judge.

    Args:
        scorer: the task's, with its judge.
        task: the task's name.
        answered: the answers.
        label: what to call them.
        judge: what to call the judge.
    """
    records = scorer.score(_signed(answered, scorer))
    questions = scorer.questions(records)
    metrics: dict[str, Number] = {}
    omitted: dict[str, str] = {}
    values: dict[str, Value] = {}
    for name, metric, members in _rows(scorer, records, questions):
        if metric.name == UNFORMATTED and not metric.of_documents and answered.matched.format == PLAIN:
            continue  # nobody knows whether those answers were asked for the format
        reason = scorer.why_not(metric)
        if reason is not None or not members:
            metrics[name], omitted[name] = Number(None, 0), reason or "there is no such answer"
            continue
        values[name] = metric.compute(members)
        if not values[name].n and values[name].reason is None:
            del values[name]  # nothing in these answers tells it, such as whether answers of a plain file were cut
            continue
        metrics[name] = _number(values[name], members)
        if metrics[name].value is None:
            omitted[name] = f"withheld: {values[name].reason}"
    signature = merged(parse(record.signature) for record in records if record.signature)
    judged_by = scorer.judge.signature if scorer.judge else {}
    made = merged(parse(prediction.signature) for prediction in answered.predictions if prediction.signature)
    told = {"prompt": made.prompt} if made.prompt else {}
    signature = signature.with_fields(predictions=answered.matched.format, **told, **judged_by)
    samples = [_sample(*pair) for pair in zip(answered.predictions, records, strict=True)]
    counts = _counts(records, questions, values) | answered.matched.counts()
    remarks = [f"{label}: {remark}" for remark in scorer.benchmark.remarks(records)]
    return Scored(task, label, judge, metrics, omitted, counts, signature.text, samples, remarks)


def _signed(answered: Answered, scorer: Scorer) -> list[Record]:
    """The records, which are the same for every judge, signed with this one and with the form of their file."""
    fields = {**scorer.context.signature, "predictions": answered.matched.format}
    signatures = {record.signature for record in answered.records if record.signature}
    texts = {text: parse(text).with_fields(**fields).text for text in signatures}
    return [dataclasses.replace(record, signature=texts.get(record.signature, "")) for record in answered.records]


def _rows(
    scorer: Scorer, records: Sequence[Record], questions: Sequence[Record]
) -> list[tuple[str, Metric, Sequence[Record]]]:
    """Every metric overall, the headline first, and the groups of the host's table, with the records each is over."""
    found: list[tuple[str, Metric, Sequence[Record]]] = []
    grouped = [name for name in scorer.benchmark.rows_of_table(scorer.settings) if "/" in name]
    for metric in scorer.benchmark.metrics(scorer.settings):
        members = records if metric.of_documents else questions
        found.append((metric.name, metric, members))
        for name in grouped if scorer.why_not(metric) is None else ():
            owner, _, group = name.partition("/")
            if owner == metric.name and in_group(members, group):
                found.append((name, metric, in_group(members, group)))
    if any(record.status == "scoring_failed" for record in records):
        found.append((SCORING_FAILED.name, SCORING_FAILED, records))
    return found


def _response(prediction: Prediction) -> Response:
    if prediction.failure is not None:
        return Response("", prediction.failure, prediction.shown)
    return response_of(prediction.text, prediction.shown)


def _number(value: Value, records: Sequence[Record]) -> Number:
    if math.isnan(value.value):
        return Number(None, value.n)
    return Number(value.value, value.n, interval(value, records))


def _sample(prediction: Prediction, record: Record) -> dict[str, Any]:
    return {
        "id": prediction.id,
        "prediction": prediction.text,
        "extracted": record.prediction,
        "scores": dict(record.scores),
        "status": record.status,
        "rule": record.rule,
        "reason": record.reason,
        "record": record.as_dict(),
    }


def _counts(records: Sequence[Record], questions: Sequence[Record], values: Mapping[str, Value]) -> dict[str, int]:
    """How many answers were scored, judged, refused and so on."""
    found = {
        "docs": len(records),
        "judged": sum(bool(record.verdicts) and not record.judge_failed for record in questions),
        "judge_failed": sum(record.judge_failed for record in questions),
        "refused": sum(record.refused for record in records),
        "unparsed": 0,
        "scoring_failed": sum(record.status == "scoring_failed" for record in records),
    }
    cut = sum(any(verdict.get("cut") for verdict in record.verdicts) for record in questions)
    found |= {"shown_cut": cut} if cut else {}
    for rate, name in COUNTED.items():
        if rate in values:
            found[name] = found.get(name, 0) + int(sum(values[rate].scores.values()))
    return found
