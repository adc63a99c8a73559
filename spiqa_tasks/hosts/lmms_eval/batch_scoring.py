"""Score a task's answers together, before the host asks for them one by one.

The host calls `process_results` from a few threads, one answer at a time, so a judge asked there
would get a few requests at a time. When the host has applied a task's filters, all answers are
known and scored at once; `process_results` then finds its record by question and repeat. With
`repeats`, the first answers of all questions are scored as one run, the second ones as another:
scores that depend on other answers depend on those of the same repeat.
"""

import copy
import logging
import os
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import SCORING_FAILED, metric_rows
from spiqa_tasks.benchmarks.open_metrics import L3SCORE
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import BASELINE, metric_values
from spiqa_tasks.judge.judge import judge_of_environment

logger = logging.getLogger("spiqa_tasks")

# The benchmark of docs of other people's tasks (`open_docs`).
OPEN_ANSWERS = FREE_ANSWERS.with_metrics([L3SCORE])

# Benchmark, split and settings, all that a hook knows of its task, and the question's id.
Key = tuple[str, str, str, str]

# Filter -> records of the task last scored, a repeat each, until the host has asked for them.
_waiting: dict[str, dict[Key, deque[Record]]] = {}


@cache
def scorer_of(benchmark: str, settings: str) -> Scorer:
    """Return the scorer of a task, one per process; its judge is asked a test question.

    Raises JudgeError: unusable.
    """
    entry = BENCHMARKS.get(benchmark, OPEN_ANSWERS)
    rule = entry.judge(entry.parse(settings))
    judge = None
    if rule is not None:
        # open answers have no score but the judge's
        judge = judge_of_environment(rule, is_required=benchmark not in BENCHMARKS)
    return make_scorer(entry, settings, f"lmms-eval {version('lmms-eval')}", judge)


def is_ours(docs: Any) -> bool:
    """Return whether documents are those of one of our tasks."""
    columns = getattr(docs, "column_names", ())
    return {"benchmark", "split", "settings"} <= set(columns) and docs[0]["benchmark"] in BENCHMARKS


def _key(row: Row, question: str) -> Key:
    """Return the key of a question of the task that a row belongs to."""
    return row["benchmark"], row["split"], row["settings"], question


def score_together(instances: Sequence[Any], docs: Any, filter_name: str) -> None:
    """Score the answers of one of our tasks.

    An exception is logged and leaves them to `record_of`.
    """
    row = docs[0]
    scorer = scorer_of(row["benchmark"], row["settings"])
    name = str(instances[0].metadata["task"]) if instances else ""
    # Records of an earlier run of the task must not be found if scoring fails.
    _waiting.pop(filter_name, None)
    try:
        _waiting[filter_name] = _scored(scorer, name, docs, answers_of(instances, filter_name))
    except Exception:
        logger.exception(
            "%s: The answers could not be scored together; they are scored one by one.", name
        )


def _scored(
    scorer: Scorer, name: str, docs: Any, answers: Mapping[int, Sequence[Response]]
) -> dict[Key, deque[Record]]:
    """Return the records of each question, in the order of its repeats."""
    repeats = defaultdict(list)
    for doc_id, responses in answers.items():
        row = docs[doc_id]
        for repeat, response in enumerate(responses):
            repeats[repeat].append(scorer.record(row, response))

    first = docs[0]
    is_only_process = int(os.environ.get("WORLD_SIZE", 1)) == 1
    waiting: defaultdict[Key, deque[Record]] = defaultdict(deque)
    for records in repeats.values():
        scored = scorer.score(records, whole=is_only_process)
        _warn(name, scorer, scored)
        for record in scored:
            waiting[_key(first, record.id)].append(record)
    return dict(waiting)


def _warn(name: str, scorer: Scorer, scored: Sequence[Record]) -> None:
    """Log remarks on a task's records, and the number of failed requests to the model."""
    for line in remarks_on(scorer.benchmark, scored):
        logger.warning("%s: %s", name, line)
    if failed := sum(record.status == "request_failed" for record in scored):
        again = "Run again to ask them again; with --use_cache DIR only these are asked."
        logger.warning(
            "%s: %s of %s requests to the model failed. %s", name, failed, len(scored), again
        )


def record_of(row: Row, results: Sequence[Any]) -> Record:
    """Return the record of the next repeat of a question, scored now unless it was before.

    The host asks once with all repeats (`results`), of which the first one counts, and then once
    with each, in order; without repeats, once.
    """
    key = _key(row, str(row["id"]))
    records = next((of_filter[key] for of_filter in _waiting.values() if of_filter.get(key)), None)
    if records is None:
        scorer = scorer_of(row["benchmark"], row["settings"])
        text = _texts(results[0])[0]
        (record,) = scorer.score([scorer.record(row, response_of(text))], whole=False)
        return record

    asks_for_all = len(results) > 1
    return records[0] if asks_for_all else records.popleft()


class LoggedRecord(dict[str, Any]):
    """A metric's value of one answer, as the host logs and gathers it, with the record, for
    aggregations.
    """

    metric: str
    """The row's name, `metric` or `metric/group`."""
    record: Record
    task: tuple[str, str]
    """Benchmark and settings of the task."""


def logged_values(record: Record, scorer: Scorer, task: tuple[str, str]) -> dict[str, Any]:
    """Return the result of `process_results`: the values of `metric_values` for the rows of the
    host's table.
    """
    rows = metric_rows(metric for metric in scorer.metrics if metric.in_table)
    values_of_rows = metric_values(record, rows, scorer.join is not None)
    headline = next((values.get("score") for values in values_of_rows.values()), None)
    if record.status == "scoring_failed":
        values_of_rows[SCORING_FAILED.name] = {"id": record.id, "reason": record.reason}

    logged: dict[str, Any] = {}
    for row, values in values_of_rows.items():
        entry = LoggedRecord(values)
        entry.metric = row
        entry.record = record
        entry.task = task
        logged[row] = entry
    if headline is not None:
        logged[BASELINE] = headline
    return logged


def split_repeats(instances: list[Any]) -> None:
    """Split each request with several answers (`repeats`) into requests with one, in place.

    The host computes the stability of repeats only of separate requests.
    """
    split = []
    for instance in instances:
        if len(instance.resps) < 2:
            split.append(instance)
            continue

        answers = zip(instance.resps, instance.token_counts, strict=True)
        for repeat, (text, tokens) in enumerate(answers):
            single = copy.copy(instance)
            single.idx = repeat
            single.resps = [text]
            single.token_counts = [tokens]
            single.filtered_resps = {}
            single.raw_filtered_resps = {}
            split.append(single)
    instances[:] = split


def answers_of(instances: Sequence[Any], filter_name: str) -> dict[int, list[Response]]:
    """Return the answers to each doc by its id, one for each repeat."""
    by_doc: defaultdict[int, list[Response]] = defaultdict(list)
    for instance in instances:
        if filter_name in instance.filtered_resps:
            texts = _texts(instance.filtered_resps[filter_name])
            for text, truncated in zip(texts, _truncated(instance, len(texts)), strict=True):
                by_doc[instance.doc_id].append(response_of(text, truncated=truncated))
    return dict(by_doc)


def _truncated(instance: Any, count: int) -> list[bool | None]:
    """Return of each of `count` answers whether it ended at the limit of generated tokens.

    None if the host did not count its tokens, if --gen_kwargs names a limit that is no number, or
    if a filter changed the number of answers.
    """
    arguments = (value for value in instance.arguments if isinstance(value, Mapping))
    limit = next(arguments, {}).get("max_new_tokens")
    lengths = [getattr(tokens, "output_tokens", None) for tokens in instance.token_counts or ()]
    if not isinstance(limit, int) or len(lengths) != count:
        return [None] * count
    return [None if length is None else length >= limit for length in lengths]


def _texts(answers: Any) -> list[str]:
    """Return the answers of a request; a null is an empty one.

    Servers send null for an answer of a reasoning model that spent its tokens, and for one that
    was withheld; a filter of the host makes an empty list of it.
    """
    if isinstance(answers, str):
        return [answers]
    if isinstance(answers, list) and answers:
        return [text for item in answers for text in _texts(item)]
    return [""]
