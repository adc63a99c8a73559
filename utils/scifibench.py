"""What only the SciFIBench YAMLs call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import datasets

from spiqa_tasks.benchmarks import aggregation
from spiqa_tasks.benchmarks.scifibench_records import scifibench_records
from spiqa_tasks.errors import JudgeError, SpiqaTasksError
from spiqa_tasks.judge.config import judge_from_environ
from spiqa_tasks.judge.letters import LetterJudge

from .dataset import rows_of
from .guard import keeps_answers, withholds

Doc = Mapping[str, Any]


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: one row per question; with `extractor=judge` the judge is first asked one real question.

    Raises:
        SystemExit: data that cannot be read, or a judge that cannot be used.
    """
    if _has_extractor(str(stub.info.config_name)):
        try:
            _judge()
        except SpiqaTasksError as error:
            raise SystemExit(f"spiqa-tasks: {error}") from error
    return rows_of("scifibench", stub)


@keeps_answers("accuracy")
def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One record per metric; never waits for the judge."""
    return scifibench_records(doc, results[0], _judge() if _has_extractor(doc["settings"]) else None)


@withholds
def extracted_mean(records: Sequence[dict[str, Any]]) -> float:
    """The mean of the scores, after the judge has answered."""
    _judge().finish(records)
    return aggregation.mean(records)


def _has_extractor(settings: str) -> bool:
    return "extractor=judge" in (item.strip() for item in settings.split(","))


@cache
def _judge() -> LetterJudge:
    config = judge_from_environ(os.environ)
    if config is None:
        raise JudgeError(
            "Expected a judge for extractor=judge, found SPIQA_JUDGE=none. Set SPIQA_JUDGE=provider:model."
        )
    judge = LetterJudge(config)
    judge.preflight()
    return judge
