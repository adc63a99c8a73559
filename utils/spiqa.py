"""What the SPIQA YAMLs call."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import datasets

from spiqa_tasks.benchmarks import aggregation
from spiqa_tasks.benchmarks.prompting import Part, plain_text, visuals
from spiqa_tasks.benchmarks.spiqa_prompts import prompt
from spiqa_tasks.benchmarks.spiqa_records import answer_records, corpus_score
from spiqa_tasks.benchmarks.text_scores import available_metrics
from spiqa_tasks.data.spiqa import SpiqaSettings
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.judge.config import judge_from_environ
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.settings import parse_settings

from .dataset import rows_of
from .guard import keeps_answers, withholds
from .messages import user_turn

Doc = Mapping[str, Any]
logger = logging.getLogger("spiqa_tasks")


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: one row per question; asks the judge one real question first, so that a run never starts without.

    Raises:
        SystemExit: data that cannot be read, or a judge that cannot be used.
    """
    try:
        _judge()
        _text_metrics()
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error
    return rows_of("spiqa", stub)


def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> list[dict[str, Any]]:
    """Chat models: the instruction, then figures and captions in turn."""
    return user_turn(_prompt(doc), lmms_eval_specific_kwargs)


def doc_to_visual(doc: Doc) -> list[Any]:
    """Simple models: the figures, in the order shown."""
    return visuals(_prompt(doc))


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> str:  # noqa: ARG001 - the host passes it
    """Simple models: the instruction and the captions, with every figure's place marked."""
    return plain_text(_prompt(doc))


@keeps_answers
def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One record per metric; never waits for the judge."""
    return answer_records(doc, results[0], _text_metrics(), _judge())


@withholds
def mean(records: Sequence[dict[str, Any]]) -> float:
    """The mean of the scores, after the judge has answered."""
    judge = _judge()
    if judge is not None:
        judge.finish(records)
    return aggregation.mean(records)


@withholds
def judge_failures(records: Sequence[dict[str, Any]]) -> float:
    """The share of answers that could not be judged."""
    judge = _judge()
    if judge is not None:
        judge.finish(records, report=False)
    return aggregation.judge_failures(records)


corpus = withholds(corpus_score)


@cache
def _text_metrics() -> tuple[str, ...]:
    """The text metrics that this machine can compute; one line says which are left out and why."""
    reasons = available_metrics()
    for name, reason in reasons.items():
        if reason is not None:
            logger.warning("%s is left out: %s.", name, reason)
    return tuple(name for name, reason in reasons.items() if reason is None)


@cache
def _judge() -> L3Judge | None:
    """The judge that the environment names, asked one real question; None when judging is switched off."""
    config = judge_from_environ(os.environ)
    if config is None:
        return None
    judge = L3Judge(config)
    judge.preflight()
    return judge


def _prompt(doc: Doc) -> list[Part]:
    return prompt(doc, parse_settings(SpiqaSettings, doc["settings"]).setting)
