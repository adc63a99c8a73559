"""Score a task's answers together, before the host asks for them one by one.

The host calls `process_results` from a few threads, one answer at a time, so a judge asked there would get a few
requests at a time. When the host has applied a task's filters, all answers are known and scored at once. An answer that
was not scored then is scored when the host asks for it. With `repeats`, the first answers of all questions are scored
as one run, the second ones as another: scores that depend on other answers depend on those of the same repeat.
"""

import copy
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED
from spiqa_tasks.benchmarks.free_answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.open_metrics import L3SCORE, judge_advice
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import BASELINE, metric_values
from spiqa_tasks.judge.cost import Summary, combined
from spiqa_tasks.judge.judge import Judge, make_judge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.scoring.responses import without_reasoning

logger = logging.getLogger("spiqa_tasks")

OPEN_ANSWERS = replace(FREE_ANSWERS.with_metrics([L3SCORE]), remarks=judge_advice)
"""The benchmark of docs of other people's tasks (`open_docs`)."""
Key = tuple[str, str, str]
names: dict[tuple[str, str, str], str] = {}
"""(benchmark, split, settings) -> name of the task last scored, for log lines of hooks that do not get it."""
_records: dict[str, dict[Key, Record]] = {}
"""Filter -> records of its answers, of the task last scored."""


def several() -> bool:
    """Return whether the run has more than one process."""
    return int(os.environ.get("WORLD_SIZE", 1)) > 1


class JudgeReport:
    """Prints the judge's summary line in the first process, with the counts of all processes."""

    def __init__(self) -> None:
        self._others: list[Summary] = []
        self._last = ""

    def gather(self, own: Summary) -> None:
        """Exchange counts between processes and print the line; a collective call of all processes."""
        import torch.distributed as dist

        if dist.is_available() and dist.is_initialized():
            gathered = [own] * dist.get_world_size()
            dist.all_gather_object(gathered, own)
            if dist.get_rank() == 0:
                self._others = gathered[1:]
                self.tell(own)

    def tell(self, own: Summary) -> None:
        """Print the line unless it was printed; for the first process, which alone aggregates and judges then, too."""
        line = combined([own, *self._others]).line()
        if line != self._last:
            self._last = line
            print(line, file=sys.stderr)


report = JudgeReport()


@cache
def scorer_of(benchmark: str, settings: str) -> Scorer:
    """Return the scorer of a task, one per process; its judge is asked a test question. Raises JudgeError: unusable."""
    entry = BENCHMARKS.get(benchmark, OPEN_ANSWERS)
    rule = entry.judge(entry.parse(settings))
    judge = _judge(rule) if rule is not None else None
    return make_scorer(entry, settings, f"lmms-eval {version('lmms-eval')}", judge)


@cache
def _judge(rule: str) -> Judge | None:
    return make_judge(rule, judge_from_environ(os.environ), report=not several())


def is_ours(docs: Any) -> bool:
    """Return whether documents are those of one of our tasks."""
    columns = getattr(docs, "column_names", ())
    return {"benchmark", "split", "settings"} <= set(columns) and docs[0]["benchmark"] in BENCHMARKS


def score_together(instances: Sequence[Any], docs: Any, filter_name: str) -> None:
    """Score the answers of one of our tasks; an exception is logged and leaves them to `record_of`."""
    row = docs[0]
    scorer = scorer_of(row["benchmark"], row["settings"])
    name = str(instances[0].metadata["task"]) if instances else ""
    names[row["benchmark"], row["split"], row["settings"]] = name
    try:
        repeats: defaultdict[int, list[tuple[Mapping[str, Any], str, bool | None]]] = defaultdict(
            list
        )
        for doc_id, answers in answers_of(instances, filter_name).items():
            for repeat, (text, truncated) in enumerate(answers):
                repeats[repeat].append((docs[doc_id], text, truncated))
        found: dict[Key, Record] = {}
        for given in repeats.values():
            records = [
                scorer.record(row, response_of(text, truncated=truncated))
                for row, text, truncated in given
            ]
            scored = scorer.score(records, whole=not several())
            _warn(name, scorer, scored)
            for (row, text, _), record in zip(given, scored, strict=True):
                found.setdefault(
                    _key(row, text), record
                )  # equal answers keep the record of the first repeat
        _records[filter_name] = found
    except Exception:
        logger.exception(
            "%s: The answers could not be scored together; they are scored one by one.", name
        )
    if scorer.judge is not None and several():
        report.gather(scorer.judge.summary())


def _warn(name: str, scorer: Scorer, scored: Sequence[Record]) -> None:
    for line in remarks_on(scorer.benchmark, scored):
        logger.warning("%s: %s", name, line)
    if failed := sum(record.status == "request_failed" for record in scored):
        again = "Run again to ask them again; with --use_cache DIR only these are asked."
        logger.warning(
            "%s: %s of %s requests to the model failed. %s", name, failed, len(scored), again
        )


def record_of(row: Mapping[str, Any], text: str) -> Record:
    """Return the record of one answer, scored now unless it was before."""
    key = _key(row, text)
    found = next((records[key] for records in _records.values() if key in records), None)
    if found is None:
        scorer = scorer_of(row["benchmark"], row["settings"])
        (found,) = scorer.score([scorer.record(row, response_of(text))], whole=False)
    return found


def _key(row: Mapping[str, Any], text: str) -> Key:
    """Return the key of an answer, without reasoning: the host may remove it after the filters."""
    return (
        f"{row['benchmark']}/{row['split']}/{row['settings']}",
        str(row["id"]),
        without_reasoning(text).strip(),
    )


class LoggedRecord(dict[str, Any]):
    """A metric's value of one answer, as the host logs and gathers it, with the record, for aggregations."""

    metric: str
    """The row's name, `metric` or `metric/group`."""
    record: Record
    task: tuple[str, str]
    """Benchmark and settings of the task."""
    name: str = ""
    """Name of the task, for log lines."""


def logged_values(
    record: Record, scorer: Scorer, task: tuple[str, str], name: str = ""
) -> dict[str, Any]:
    """Return the result of `process_results`: the values of `metric_values` for the rows of the host's table."""
    known = {metric.name: metric for metric in scorer.metrics}
    table = [
        (row, *row.partition("/")[::2]) for row in scorer.benchmark.rows_of_table(scorer.settings)
    ]
    rows = {row: (known[metric], group or None) for row, metric, group in table if metric in known}
    logged = metric_values(record, rows, scorer.join is not None)
    headline = next((values.get("score") for values in logged.values()), None)
    if record.status == "scoring_failed":
        logged[SCORING_FAILED.name] = {"id": record.id, "reason": record.reason}
    found: dict[str, Any] = {row: LoggedRecord(values) for row, values in logged.items()}
    for metric, values in found.items():
        values.metric, values.record, values.task, values.name = metric, record, task, name
    return found if headline is None else {**found, BASELINE: headline}


def split_repeats(instances: list[Any]) -> None:
    """Split each request with several answers (`repeats`) into requests with one, in place, for its stability."""
    split = []
    for instance in instances:
        if len(instance.resps) < 2:
            split.append(instance)
            continue
        for place, (text, tokens) in enumerate(
            zip(instance.resps, instance.token_counts, strict=True)
        ):
            single = copy.copy(instance)
            single.idx, single.resps, single.token_counts = place, [text], [tokens]
            single.filtered_resps, single.raw_filtered_resps = {}, {}
            split.append(single)
    instances[:] = split


def answers_of(
    instances: Sequence[Any], filter_name: str
) -> dict[int, list[tuple[str, bool | None]]]:
    """Return doc_id -> (answer, whether it ended at the limit of tokens or None without lengths) of each repeat."""
    by_doc: dict[int, list[tuple[str, bool | None]]] = {}
    for instance in instances:
        texts = _texts(instance.filtered_resps.get(filter_name))
        settings = next((value for value in instance.arguments if isinstance(value, Mapping)), {})
        limit = settings.get("max_new_tokens")
        lengths = [
            getattr(count, "output_tokens", None)
            for count in getattr(instance, "token_counts", None) or ()
        ]
        if limit is None or len(lengths) != len(texts):
            lengths = [None] * len(texts)
        for text, length in zip(texts, lengths, strict=True):
            by_doc.setdefault(instance.doc_id, []).append(
                (text, None if length is None else length >= limit)
            )
    return by_doc


def _texts(answers: Any) -> list[str]:
    if isinstance(answers, str):
        return [answers]
    return [text for item in answers for text in _texts(item)] if isinstance(answers, list) else []
