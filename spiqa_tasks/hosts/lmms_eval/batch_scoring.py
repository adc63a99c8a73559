"""Scoring a task's answers together, before the host asks for them one by one.

The host calls `process_results` from a few threads, one answer at a time; a judge asked there would be asked a few
questions at a time. When the host has applied a task's filters all of its answers are known, and they are scored at
once. An answer that was not scored ahead is scored when the host asks for it, more slowly, to the same result.

With `repeats` a question has several answers. The first ones are scored as a run, then the second ones, and so on: what
depends on the other answers depends on those of the same turn.
"""

from __future__ import annotations

import copy
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.judge.judge import Judge, make_judge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.summary import Summary, combined
from spiqa_tasks.scoring.reasoning import without_reasoning

logger = logging.getLogger("spiqa_tasks")

Key = tuple[str, str, str]
Answer = tuple[Mapping[str, Any], str, bool | None]
"""A question's row, its answer, and whether that was cut off (`answers_of`)."""

names: dict[tuple[str, str, str], str] = {}
"""(benchmark, split, settings) -> the name of the task whose answers were scored last."""
_records: dict[str, dict[Key, Record]] = {}
"""Filter -> the records of its answers, of the task that was scored last."""


def several() -> bool:
    """Return whether the run has more than one process."""
    return int(os.environ.get("WORLD_SIZE", 1)) > 1


class JudgeReport:
    """The judge's summary line, printed by the first process, with the counts of all."""

    def __init__(self) -> None:
        self._others: list[Summary] = []
        self._told = ""

    def gather(self, own: Summary) -> None:
        """Exchange the processes' counts and print the line; every process must call it."""
        import torch.distributed as dist

        if not (dist.is_available() and dist.is_initialized()):
            return
        gathered: list[Summary] = [own] * dist.get_world_size()
        dist.all_gather_object(gathered, own)
        if dist.get_rank() == 0:
            self._others = gathered[1:]
            self.tell(own)

    def tell(self, own: Summary) -> None:
        """Print the line if it is a new one; for the first process, which aggregates alone."""
        line = combined([own, *self._others]).line()
        if line != self._told:
            self._told = line
            print(line, file=sys.stderr)


report = JudgeReport()


@cache
def scorer_of(benchmark: str, settings: str) -> Scorer:
    """Return this process's scorer of a task; asks the judge a test question the first time that one is needed.

    Raises:
        JudgeError: the judge that the environment names cannot be used.
        InputError: unknown settings.
    """
    rule = BENCHMARKS[benchmark].judge(BENCHMARKS[benchmark].parse(settings))
    judge = _judge(rule) if rule is not None else None
    return make_scorer(benchmark, settings, f"lmms-eval {version('lmms-eval')}", judge)


@cache
def _judge(rule: str) -> Judge | None:
    return make_judge(rule, judge_from_environ(os.environ), report=not several())


def is_ours(docs: Any) -> bool:
    """Return whether the host's documents are those of a task of ours."""
    columns = getattr(docs, "column_names", ())
    return {"benchmark", "split", "settings"} <= set(columns) and docs[0]["benchmark"] in BENCHMARKS


def score_together(instances: Sequence[Any], docs: Any, filter_name: str) -> None:
    """Score the answers of a task of ours; a defect in doing so is logged and leaves them to `record_of`.

    Args:
        instances: the host's requests of one task with their answers.
        docs: the task's split.
        filter_name: the filter whose answers count.
    """
    row = docs[0]
    name = str(instances[0].metadata["task"]) if instances else ""
    names[row["benchmark"], row["split"], row["settings"]] = name
    try:
        turns: defaultdict[int, list[Answer]] = defaultdict(list)
        for place, given in answers_of(instances, filter_name).items():
            for turn, (text, truncated) in enumerate(given):
                turns[turn].append((docs[place], text, truncated))
        records: dict[Key, Record] = {}
        for answers in turns.values():
            records = {**_scored(answers, name), **records}
        _records[filter_name] = records
    except Exception:
        logger.exception("%s: The answers could not be scored together; they are scored one by one.", name)
    judge = _scorer(row).judge
    if judge is not None and several():
        report.gather(judge.summary())


def record_of(row: Mapping[str, Any], text: str) -> Record:
    """Return the record of one answer, scored ahead or now."""
    key = _key(row, text)
    found = next((records[key] for records in _records.values() if key in records), None)
    if found is None:
        scorer = _scorer(row)
        (found,) = scorer.score([scorer.record(row, response_of(text))], whole=False)
    return found


def _scored(answers: Sequence[Answer], name: str) -> dict[Key, Record]:
    """The records of one answer to each question of a task."""
    scorer = _scorer(answers[0][0])
    records = [scorer.record(row, response_of(text, truncated=truncated)) for row, text, truncated in answers]
    scored = scorer.score(records, whole=not several())
    for line in scorer.benchmark.remarks(scored):
        logger.warning("%s: %s", name, line)
    if failed := sum(record.status == "request_failed" for record in scored):
        logger.warning(
            "%s: %s of %s requests to the model failed. Run again to ask them again; with --use_cache DIR only these "
            "are asked.",
            name,
            failed,
            len(scored),
        )
    return {_key(row, text): record for (row, text, _), record in zip(answers, scored, strict=True)}


def _scorer(row: Mapping[str, Any]) -> Scorer:
    return scorer_of(row["benchmark"], row["settings"])


def _key(row: Mapping[str, Any], text: str) -> Key:
    """What tells an answer apart; the host may have removed its reasoning since it was scored."""
    return f"{row['benchmark']}/{row['split']}/{row['settings']}", str(row["id"]), without_reasoning(text).strip()


def split_repeats(instances: list[Any]) -> None:
    """Make each request with several answers (`repeats`) as many requests with one.

    The host counts a document's requests before it measures stability, but makes one for all repeats.
    """
    split = []
    for instance in instances:
        if len(instance.resps) < 2:
            split.append(instance)
            continue
        for place, (text, tokens) in enumerate(zip(instance.resps, instance.token_counts, strict=True)):
            single = copy.copy(instance)
            single.idx, single.resps, single.token_counts = place, [text], [tokens]
            single.filtered_resps, single.raw_filtered_resps = {}, {}
            split.append(single)
    instances[:] = split


def answers_of(instances: Sequence[Any], filter_name: str) -> dict[int, list[tuple[str, bool | None]]]:
    """Return, by the place of its document, each repeat's answer and whether it was cut off.

    An answer is cut off when it ended at the limit of generated tokens; None where the model does not tell its length.
    """
    found: dict[int, list[tuple[str, bool | None]]] = {}
    for instance in instances:
        answers = _answers(instance, filter_name)
        if answers:
            found.setdefault(instance.doc_id, []).extend(answers)
    return found


def _answers(instance: Any, filter_name: str) -> list[tuple[str, bool | None]]:
    """The texts of a request, and whether each ended at the limit of generated tokens, where the model says."""
    texts = _texts(instance.filtered_resps.get(filter_name))
    settings = next((value for value in instance.arguments if isinstance(value, Mapping)), {})
    limit = settings.get("max_new_tokens")
    counts = getattr(instance, "token_counts", None) or ()
    lengths = [getattr(count, "output_tokens", None) for count in counts]
    if limit is None or len(lengths) != len(texts):
        return [(text, None) for text in texts]
    return [(text, None if n is None else n >= limit) for text, n in zip(texts, lengths, strict=True)]


def _texts(answers: Any) -> list[str]:
    if isinstance(answers, str):
        return [answers]
    return [text for item in answers for text in _texts(item)] if isinstance(answers, list) else []
