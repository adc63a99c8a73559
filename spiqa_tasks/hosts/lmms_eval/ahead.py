"""Scoring a task's answers together, before the host asks for them one by one.

The host calls `process_results` from a few threads, one answer at a time; a judge asked there would be asked a few
questions at a time. When the host has applied a task's filters all of its answers are known, and they are scored at
once. An answer that was not scored ahead is scored when the host asks for it, more slowly, to the same result.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.judging import Judging
from spiqa_tasks.benchmarks.making import judging_of_environment, make_scorer
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.hosts.lmms_eval.markers import response_of
from spiqa_tasks.scoring.reasoning import without_reasoning

logger = logging.getLogger("spiqa_tasks")

Key = tuple[str, str, str]

_records: dict[Key, Record] = {}


@cache
def scorer_of(benchmark: str, settings: str) -> Scorer:
    """Return this process's scorer of a task; asks the judge a test question the first time that one is needed.

    Raises:
        JudgeError: the judge that the environment names cannot be used.
        InputError: unknown settings.
    """
    kind = BENCHMARKS[benchmark].judge(BENCHMARKS[benchmark].parse(settings))
    judge = _judging(kind) if kind is not None else None
    return make_scorer(benchmark, settings, f"lmms-eval {version('lmms-eval')}", judge)


@cache
def _judging(kind: str) -> Judging | None:
    return judging_of_environment(kind, os.environ)


def forget() -> None:
    """Drop what was found out about the judge and the answers scored ahead."""
    scorer_of.cache_clear()
    _judging.cache_clear()
    _records.clear()


def score_ahead(instances: Sequence[Any], docs: Any, filter_name: str) -> None:
    """Score the answers of a task of ours; other tasks are left alone.

    Args:
        instances: the host's requests of one task with their answers.
        docs: the task's split.
        filter_name: the filter whose answers count.
    """
    if not instances or "benchmark" not in getattr(docs, "column_names", ()):
        return
    answers = [
        (docs[instance.doc_id], text)
        for instance in instances
        for text in _texts(instance.filtered_resps.get(filter_name))
    ]
    if not answers or answers[0][0]["benchmark"] not in BENCHMARKS:
        return
    try:
        scorer = _scorer(answers[0][0])
        records = [scorer.record(row, response_of(text)) for row, text in answers]
        scored = scorer.score(records, whole=int(os.environ.get("WORLD_SIZE", 1)) == 1)
    except Exception:  # the host would end the run and write nothing
        logger.exception("The answers could not be scored together; each is scored when the host asks for it.")
        return
    _records.clear()
    _records.update({_key(row, text): record for (row, text), record in zip(answers, scored, strict=True)})
    for line in scorer.benchmark.remarks(scored):
        logger.warning(line)


def record_of(row: Mapping[str, Any], text: str) -> Record:
    """Return the record of one answer, scored ahead or now; a defect becomes a status, with the reason."""
    found = _records.get(_key(row, text))
    if found is not None:
        return found
    try:
        scorer = _scorer(row)
        (found,) = scorer.score([scorer.record(row, response_of(text))], whole=False)
    except Exception as error:  # the host would end the run and write nothing
        logger.exception("Question %s could not be scored; its answer is kept in the samples file.", row["id"])
        return Record(str(row["id"]), status="scoring_failed", reason=repr(error))
    return found


def _scorer(row: Mapping[str, Any]) -> Scorer:
    return scorer_of(row["benchmark"], row["settings"])


def _key(row: Mapping[str, Any], text: str) -> Key:
    """What tells an answer apart; the host may have removed its reasoning since it was scored."""
    return f"{row['benchmark']}/{row['split']}/{row['settings']}", str(row["id"]), without_reasoning(text).strip()


def _texts(answers: Any) -> list[str]:
    if isinstance(answers, str):
        return [answers]
    return [text for item in answers for text in _texts(item)] if isinstance(answers, list) else []
