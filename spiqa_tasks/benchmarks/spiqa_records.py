"""A scored answer of SPIQA, one record per metric, and how the corpus metrics come out of the records."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import MINIMUM_SCORED
from spiqa_tasks.benchmarks.signature import signature
from spiqa_tasks.benchmarks.spiqa_prompts import setting_hash
from spiqa_tasks.benchmarks.text_scores import text_scores
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.scoring.answers import parse_answer, parse_cot

Record = dict[str, Any]
logger = logging.getLogger(__name__)


def answer_records(
    row: Mapping[str, Any], response: str, text_metrics: Collection[str], judge: L3Judge | None
) -> dict[str, Record]:
    """Metric name -> record of one answer; returns at once, the judge's verdict comes later.

    `unformatted_rate` carries the details (answer, prediction, figures in the order shown, signature). Every metric of
    the answer itself is there twice: overall and for the figure type of the first figure that the answer needs. A
    failed request has neither text metrics nor a judgement.

    Args:
        row: the question's row.
        response: the model's answer.
        text_metrics: which corpus metrics to prepare (`text_scores.available_metrics`).
        judge: None leaves L3Score out.
    """
    setting = _setting(row)
    prediction, status, image = _parse(setting, response)
    failed = status == "request_failed"
    identity = {"id": row["id"], "paper_id": row["paper_id"]}
    records: dict[str, Record] = {
        "unformatted_rate": {
            **identity,
            "score": float(status in ("unformatted", "empty")),
            "status": status,
            "answer": row["answer"],
            "prediction": prediction,
            "figures": [figure["file"] for figure in row["figures"]],
            "group": row["group"],
            "group_released": row["group_released"],
            "signature": signature("spiqa", row, setting_hash(setting)),
        },
        "truncated_rate": {**identity, "score": float(status == "truncated")},
        "request_failed_rate": {**identity, "score": float(failed)},
    }
    if setting == "cot":
        hit = {} if failed else {"score": float(image in row["referred"])}
        records |= _both("retrieval_accuracy", row, {**identity, **hit, "image": image})
    for metric in text_metrics:
        pair = {} if failed else {"prediction": prediction, "reference": row["answer"]}
        records |= _both(metric, row, {**identity, "metric": metric, **pair})
    if judge is not None:
        records |= _judged(row, identity, prediction, failed, judge)
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
    scores = text_scores([(record["prediction"], record["reference"]) for record in answered])
    if metric in scores.omitted:
        logger.warning("%s is left out: %s", metric, scores.omitted[metric])
        return math.nan
    for record, item in zip(answered, scores.per_item.get(metric, ()), strict=False):
        record["score"] = float(item)
    return float(scores.values[metric])


def _setting(row: Mapping[str, Any]) -> str:
    return str(dict(item.split("=", 1) for item in row["settings"].split(","))["setting"])


def _parse(setting: str, response: str) -> tuple[str, str, int | None]:
    if setting == "cot":
        cot = parse_cot(response)
        return cot.answer, cot.status, cot.image
    parsed = parse_answer(response)
    return parsed.text, parsed.status, None


def _both(metric: str, row: Mapping[str, Any], record: Record) -> dict[str, Record]:
    return {metric: dict(record), f"{metric}/{row['group']}": dict(record)}


def _judged(
    row: Mapping[str, Any], identity: Record, prediction: str, failed: bool, judge: L3Judge
) -> dict[str, Record]:
    if failed:
        record = {**identity, "status": "request_failed"}
        return {**_both("l3score", row, record), "judge_failed_rate": {**identity, "score": 0.0}}
    question = (row["question"], row["answer"], prediction)
    return {
        "l3score": judge.record(identity, *question),
        f"l3score/{row['group']}": judge.record(identity, *question),
        "judge_failed_rate": judge.record(identity, *question, score_key="l3score"),
    }
