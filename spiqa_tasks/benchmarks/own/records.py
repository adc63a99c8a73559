"""Scored answers of a benchmark of one's own: choices by the matcher, open answers by match, judge and text metrics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import NO_ANSWER, Metric, Pairs, Value, mean_of
from spiqa_tasks.benchmarks.choice import ACCURACY, FAILURE_RATES, TRUNCATED_RATE, choice_record
from spiqa_tasks.benchmarks.open_metrics import JUDGE_FAILED, NEITHER, text_metric
from spiqa_tasks.benchmarks.own.definition import JUDGED, MATCHES, Definition
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.mcq import MATCHER_VERSION
from spiqa_tasks.scoring.open_answers import final_answer
from spiqa_tasks.scoring.refusals import is_refusal

_RATES = (*FAILURE_RATES, TRUNCATED_RATE)


def record(definition: Definition, row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one answer; beside choices an open answer has an `accuracy`, by the first match."""
    signature = context.sign(row, "".join(definition.prompt.values()))
    if row["letters"]:
        found = choice_record(row, response, row["groups"], signature)
    else:
        found = _open_record(definition, row, response, signature, context)
    return dataclasses.replace(found, cluster=row["cluster"])


def metrics(definition: Definition) -> list[Metric]:
    """Return the metrics, the headline first."""
    found = [_metric(name) for name in definition.metrics]
    if definition.kind == "both":
        accuracy = dataclasses.replace(
            ACCURACY, signature=lambda: {"matcher": f"{MATCHER_VERSION}, {_match_of(definition)} of open answers"}
        )
        found = [accuracy, *map(_of_open, found[1:])]
    found += [JUDGE_FAILED] if definition.judged else []
    found += [NEITHER] if definition.judged == "l3score" else []
    return [*found, *_RATES]


def table(definition: Definition) -> list[str]:
    """Return the rows of the host's table."""
    return [metric.name for metric in metrics(definition) if metric not in (NEITHER, TRUNCATED_RATE)]


def _open_record(
    definition: Definition, row: Mapping[str, Any], response: Response, signature: str, context: Context
) -> Record:
    shared: dict[str, Any] = {"reference": row["answer"], "groups": row["groups"], "signature": signature}
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, **shared)
    prediction, references = final_answer(response.text), row["references"]
    wanted = [name for name in definition.metrics if name in MATCHES]
    scores = {name: float(any(MATCHES[name](prediction, each) for each in references)) for name in wanted}
    if definition.kind == "both":
        scores["accuracy"] = scores[_match_of(definition)]
    candidate = Candidate(prediction, row["question"], " or ".join(references))
    asks = context.asks(definition.judged, candidate) if definition.judged else ()
    details = {} if response.truncated is None else {"truncated": response.truncated}
    refused = is_refusal(response.text)
    return Record(row["id"], prediction, refused=refused, scores=scores, details=details, asks=asks, **shared)


def _match_of(definition: Definition) -> str:
    """The match by which an open answer counts as right beside choices."""
    return next(name for name in definition.metrics if name in MATCHES)


def _metric(name: str) -> Metric:
    if name == "accuracy":
        return ACCURACY
    if name in METRICS:
        return text_metric(name)
    return mean_of(name, "judge" if name in JUDGED else "nothing")


def _of_open(metric: Metric) -> Metric:
    """The metric over the open questions of a benchmark that has choices, too."""

    def compute(records: Sequence[Record]) -> Value:
        found = _open(records)
        return metric.compute(found) if found else Value(math.nan, 0, reason=NO_ANSWER)

    def pairs(records: Sequence[Record]) -> Pairs:
        return metric.pairs(_open(records)) if metric.pairs else []

    return dataclasses.replace(metric, compute=compute, pairs=pairs if metric.pairs else None)


def _open(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.groups.get("kind", "").endswith("open")]
