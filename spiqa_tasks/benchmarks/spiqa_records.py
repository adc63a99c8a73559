"""A scored answer of SPIQA, one record per metric, and how the corpus metrics come out of the records."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import MINIMUM_SCORED
from spiqa_tasks.benchmarks.perfigure import document_records
from spiqa_tasks.benchmarks.signature import signature
from spiqa_tasks.benchmarks.spiqa_groups import groups_of
from spiqa_tasks.benchmarks.spiqa_prompts import setting_hash
from spiqa_tasks.benchmarks.text_scores import text_scores
from spiqa_tasks.data.spiqa_settings import settings_of
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.scoring.answers import parse_answer, parse_answer_released, parse_cot
from spiqa_tasks.scoring.cot_released import parse_cot_released

Record = dict[str, Any]
logger = logging.getLogger(__name__)


def answer_records(
    row: Mapping[str, Any], response: str, text_metrics: Collection[str], judge: L3Judge | None
) -> dict[str, Record]:
    """Metric name -> record of one answer; returns at once, the judge's verdict comes later.

    `unformatted_rate` carries the details (answer, prediction, figures in the order shown, signature). Every metric of
    the answer itself is there overall and for the question's groups; those of the protocol `released` are there
    overall, under names that end in `_released`. A failed request has neither text metrics nor a judgement.

    Args:
        row: the question's row.
        response: the model's answer.
        text_metrics: which corpus metrics to prepare (`text_scores.available_metrics`).
        judge: None leaves L3Score out.
    """
    settings = settings_of(row)
    if settings.setting == "perfigure":
        return document_records(row, response, text_metrics, judge is not None)
    prediction, status, image = _parse(settings.setting, response)
    failed = status == "request_failed"
    identity = {"id": row["id"], "paper_id": row["paper_id"]}
    records = _rates(row, identity, response, prediction, status)
    if settings.protocol != "released":
        if settings.setting == "cot":
            hit = {} if failed else {"score": float(image in row["referred"])}
            records |= _grouped("retrieval_accuracy", row, {**identity, **hit, "image": image})
        records |= _texts(row, identity, None if failed else prediction, text_metrics)
        if judge is not None:
            records |= _judged(row, identity, None if failed else prediction, judge)
    if settings.protocol != "corrected":
        records |= _released(row, identity, None if failed else response, text_metrics, judge)
    return records


def corpus_score(records: Sequence[MutableMapping[str, Any]]) -> float:
    """The corpus value of the text metric that the records name, 0 to 1 (CIDEr 0 to 10).

    Gives each record its own `score` where the metric has one per answer, so that the host can tell a standard error.
    NaN when fewer than 99% of the answers are there, or when the metric's program failed (logged, with the reason).
    """
    answered = [record for record in records if "prediction" in record]
    if not answered or len(answered) < MINIMUM_SCORED * len(records):
        return math.nan
    metric = answered[0]["metric"]
    scores = text_scores([(record["prediction"], record["reference"]) for record in answered], [metric])
    if metric in scores.omitted:
        logger.warning("%s is left out: %s", metric, scores.omitted[metric])
        return math.nan
    for record, item in zip(answered, scores.per_item.get(metric, ()), strict=False):
        record["score"] = float(item)
    return float(scores.values[metric])


def _rates(row: Mapping[str, Any], identity: Record, response: str, prediction: str, status: str) -> dict[str, Record]:
    """The shares of answers that went wrong, and with the first of them the details of the answer."""
    failed = status == "request_failed"
    refusal = {"reason": response[:300], "split": row["split"]} if failed else {}
    return {
        "unformatted_rate": {
            **identity,
            "score": float(status in ("unformatted", "empty")),
            "status": status,
            "answer": row["answer"],
            "prediction": prediction,
            "figures": [figure["file"] for figure in row["figures"]],
            "group": row["group"],
            "group_released": row["group_released"],
            "signature": signature("spiqa", row, setting_hash(settings_of(row).setting)),
        },
        "truncated_rate": {**identity, "score": float(status == "truncated")},
        "request_failed_rate": {**identity, "score": float(failed), **refusal},
    }


def _parse(setting: str, response: str) -> tuple[str, str, int | None]:
    if setting == "cot":
        cot = parse_cot(response)
        return cot.answer, cot.status, cot.image
    parsed = parse_answer(response)
    return parsed.text, parsed.status, None


def _grouped(metric: str, row: Mapping[str, Any], record: Record) -> dict[str, Record]:
    """The record under the metric's name and under those of the question's groups."""
    groups = groups_of(metric, row, len(row["figures"]))
    return {name: dict(record) for name in (metric, *(f"{metric}/{group}" for group in groups))}


def _texts(
    row: Mapping[str, Any], identity: Record, prediction: str | None, text_metrics: Collection[str]
) -> dict[str, Record]:
    pair = {} if prediction is None else {"prediction": prediction, "reference": row["answer"]}
    records: dict[str, Record] = {}
    for metric in text_metrics:
        records |= _grouped(metric, row, {**identity, "metric": metric, **pair})
    return records


def _judged(row: Mapping[str, Any], identity: Record, prediction: str | None, judge: L3Judge) -> dict[str, Record]:
    names = _grouped("l3score", row, {})
    if prediction is None:
        records = {name: {**identity, "status": "request_failed"} for name in names}
        return {**records, "judge_failed_rate": {**identity, "score": 0.0}}
    question = (row["question"], row["answer"], prediction)
    records = {name: judge.record(identity, *question) for name in names}
    judged_by = {key: value for key, value in judge.signature_fields().items() if key != "judge_served"}
    records["l3score"]["signature"] = signature("spiqa", row, setting_hash(settings_of(row).setting), **judged_by)
    return {**records, "judge_failed_rate": judge.record(identity, *question, score_key="l3score")}


def _released(
    row: Mapping[str, Any],
    identity: Record,
    response: str | None,
    text_metrics: Collection[str],
    judge: L3Judge | None,
) -> dict[str, Record]:
    """The records of the released scripts' parsers; `response` is None where the request failed."""
    records: dict[str, Record] = {}
    prediction = parse_answer_released(response or "")
    if settings_of(row).setting == "cot":
        image, prediction = parse_cot_released(response or "")
        hit = {} if response is None else {"score": float(image in row["referred"])}
        records["retrieval_accuracy_released"] = {**identity, **hit, "image": image}
    pair = {} if response is None else {"prediction": prediction, "reference": row["answer"]}
    for metric in text_metrics:
        records[f"{metric}_released"] = {**identity, "metric": metric, **pair}
    if judge is not None and response is None:
        records["l3score_released"] = {**identity, "status": "request_failed"}
    elif judge is not None:
        records["l3score_released"] = judge.record(identity, row["question"], row["answer"], prediction)
    return records
