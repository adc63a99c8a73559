"""What the SPIQA YAMLs call."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import datasets

from spiqa_tasks.benchmarks import aggregation
from spiqa_tasks.benchmarks.image_limits import image_limit_advice
from spiqa_tasks.benchmarks.prompting import Part, plain_text, visuals
from spiqa_tasks.benchmarks.spiqa_prompts import prompt
from spiqa_tasks.benchmarks.spiqa_records import answer_records, corpus_score
from spiqa_tasks.benchmarks.text_scores import METRICS
from spiqa_tasks.data.spiqa_settings import settings_of
from spiqa_tasks.errors import SpiqaTasksError

from .dataset import rows_of
from .guard import keeps_answers, withholds
from .judging import judge_of_environment, text_metrics
from .messages import user_turn

Doc = Mapping[str, Any]
logger = logging.getLogger("spiqa_tasks")


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: one row per question; asks the judge one real question first, so that a run never starts without.

    Raises:
        SystemExit: data that cannot be read, or a judge that cannot be used.
    """
    try:
        judge_of_environment()
        text_metrics()
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


@keeps_answers("l3score", *METRICS)
def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One record per metric; never waits for the judge."""
    return answer_records(doc, results[0], text_metrics(), judge_of_environment())


@withholds
def mean(records: Sequence[dict[str, Any]]) -> float:
    """The mean of the scores, after the judge has answered."""
    judge = judge_of_environment()
    if judge is not None:
        judge.finish(records)
    return aggregation.mean(records)


@withholds
def judge_failures(records: Sequence[dict[str, Any]]) -> float:
    """The share of answers that could not be judged."""
    judge = judge_of_environment()
    if judge is not None:
        judge.finish(records, report=False)
    return aggregation.judge_failures(records)


corpus = withholds(corpus_score)


@withholds
def request_failures(records: Sequence[dict[str, Any]]) -> float:
    """The share of requests that failed; says which task to run instead where a server takes fewer images."""
    advice = image_limit_advice(records)
    if advice is not None:
        logger.warning(advice)
    return aggregation.mean(records)


def _prompt(doc: Doc) -> list[Part]:
    return prompt(doc, settings_of(doc).setting)
