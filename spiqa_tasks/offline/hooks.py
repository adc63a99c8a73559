"""What the hooks that a YAML names compute, without the host: the same functions, with the judge as an argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from spiqa_tasks.offline.scored import Records
from spiqa_tasks.benchmarks import perfigure_scores
from spiqa_tasks.benchmarks.aggregation import judge_failures, mean
from spiqa_tasks.benchmarks.choice.records import choice_records
from spiqa_tasks.benchmarks.scifibench.records import scifibench_records
from spiqa_tasks.benchmarks.spiqa.records import answer_records, corpus_score
from spiqa_tasks.judge.l3 import L3Judge

Aggregation = Callable[[Sequence[dict[str, Any]], L3Judge | None], float]
"""(records of a metric, all verdicts in; judge) -> value in natural units, NaN where it is withheld."""

Recorder = Callable[[Mapping[str, Any], str, Sequence[str], L3Judge | None], Records]
"""(row, answer, text metrics to prepare, judge) -> metric name -> record."""


def hook(dotted: str) -> str:
    """The module and function of a hook: `spiqa_tasks.utils.spiqa.mean` is `spiqa.mean`."""
    return ".".join(dotted.split(".")[-2:])


def _unjudged(aggregate: Callable[[Sequence[dict[str, Any]]], float]) -> Aggregation:
    return lambda records, _judge: aggregate(records)


def _judged(
    aggregate: Callable[[Sequence[dict[str, Any]], L3Judge, perfigure_scores.Verdicts], float],
) -> Aggregation:
    return lambda records, judge: math.nan if judge is None else aggregate(records, judge, _verdicts(judge))


@cache
def _verdicts(judge: L3Judge) -> perfigure_scores.Verdicts:  # noqa: ARG001 - one dict per judge
    return {}


RECORDS: Mapping[str, Recorder] = {
    "spiqa.process_results": answer_records,
    "choice.process_results": lambda row, answer, _metrics, _judge: choice_records(row, answer),
    "scifibench.process_results": lambda row, answer, _metrics, _judge: scifibench_records(row, answer),
}

AGGREGATIONS: Mapping[str, Aggregation] = {
    "guard.failures": _unjudged(lambda records: float(len(records))),
    "choice.mean": _unjudged(mean),
    "scifibench.extracted_mean": _unjudged(mean),
    "spiqa.mean": _unjudged(mean),
    "spiqa.request_failures": _unjudged(mean),
    "spiqa.corpus": _unjudged(corpus_score),
    "spiqa.judge_failures": _unjudged(judge_failures),
    "spiqa_perfigure.l3score": _judged(perfigure_scores.l3score),
    "spiqa_perfigure.l3score_released": _judged(perfigure_scores.l3score_released),
    "spiqa_perfigure.judge_failures": _judged(perfigure_scores.judge_failed_rate),
    "spiqa_perfigure.text": _unjudged(perfigure_scores.text_score),
    "spiqa_perfigure.text_released": _unjudged(perfigure_scores.text_score_released),
    "spiqa_perfigure.incomplete": _unjudged(perfigure_scores.incomplete_rate),
    "spiqa_perfigure.unhelpful": _unjudged(perfigure_scores.unhelpful_rate),
}
