"""What the hooks that a YAML names compute, without the host: the same functions, with the judge as an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from spiqa_tasks.analysis.scored import Records
from spiqa_tasks.benchmarks.aggregation import judge_failures, mean
from spiqa_tasks.benchmarks.choice_records import choice_records
from spiqa_tasks.benchmarks.spiqa_records import answer_records, corpus_score
from spiqa_tasks.judge.l3 import L3Judge

Aggregation = Callable[[Sequence[MutableMapping[str, Any]], L3Judge | None], float]
"""(records of a metric, all verdicts in; judge) -> value in natural units, NaN where it is withheld."""

Recorder = Callable[[Mapping[str, Any], str, Sequence[str], L3Judge | None], Records]
"""(row, answer, text metrics to prepare, judge) -> metric name -> record."""


def hook(dotted: str) -> str:
    """The module and function of a hook: `spiqa_tasks.utils.spiqa.mean` is `spiqa.mean`."""
    return ".".join(dotted.split(".")[-2:])


RECORDS: Mapping[str, Recorder] = {
    "spiqa.process_results": answer_records,
    "choice.process_results": lambda row, answer, _metrics, _judge: choice_records(row, answer),
}

AGGREGATIONS: Mapping[str, Aggregation] = {
    "choice.mean": lambda records, _judge: mean(records),
    "spiqa.mean": lambda records, _judge: mean(records),
    "spiqa.corpus": lambda records, _judge: corpus_score(records),
    "spiqa.judge_failures": lambda records, _judge: judge_failures(records),
}
