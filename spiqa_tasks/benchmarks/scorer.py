"""Scoring of a task's responses, shared by the hosts' hooks and `score`: records, judge requests, values."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from spiqa_tasks.benchmarks.aggregation import (
    RELEASED,
    SCORING_FAILED,
    Metric,
    RecordSet,
    Value,
    prepare,
)
from spiqa_tasks.benchmarks.benchmark import Benchmark, Join, Row
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.metrics.text_scores import available_metrics
from spiqa_tasks.printable import counted, progress
from spiqa_tasks.scoring.responses import is_cut_in_reasoning, without_reasoning

logger = logging.getLogger("spiqa_tasks")

LONGEST = 100_000
"""Longest response in characters that is scored: longer ones are a model in a loop, or a file by mistake."""


def make_scorer(
    benchmark: str | Benchmark, settings: str, host: str, judge: Judge | None, **made: str
) -> Scorer:
    """Return the scorer of a task, with the installed text metrics; InputError for unknown settings.

    `host` and `made`, which says how the answers were made, are fields of the signature.
    """
    entry = BENCHMARKS[benchmark] if isinstance(benchmark, str) else benchmark
    parsed = entry.parse(settings)
    metrics = entry.metrics(parsed)
    fields = dict(entry.signature(parsed))
    for metric in metrics:
        fields |= metric.signature()
    rule, judged_by = (judge.rule, judge.configured) if judge is not None else (None, {})
    texts = any(metric.needs == "text programs" for metric in metrics)
    missing = missing_text_metrics(host != "offline") if texts else {}
    return Scorer(
        entry,
        parsed,
        Context(
            host,
            rule,
            fields | judged_by | {key: value for key, value in made.items() if value},
            missing,
        ),
        judge,
    )


@cache
def missing_text_metrics(tell: bool = False) -> dict[str, str]:
    """Return text metric -> why this machine cannot compute it; with `tell` each reason is logged once per process."""
    missing = {name: reason for name, reason in available_metrics().items() if reason is not None}
    for reason in dict.fromkeys(missing.values()) if tell else ():
        names = [name for name in missing if missing[name] == reason]
        logger.warning(
            "%s %s left out: %s.", ", ".join(names), "is" if len(names) == 1 else "are", reason
        )
    return missing


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores the responses to one task; `judge` is None if judging is switched off or not needed."""

    benchmark: Benchmark
    settings: Any
    context: Context
    judge: Judge | None

    @cached_property
    def join(self) -> Join | None:
        """The function that joins documents into questions, or None if each is a question."""
        return self.benchmark.join(self.settings)

    def record(self, row: Row, response: Response) -> Record:
        """Return the record of one response, not yet judged; an exception becomes the status `scoring_failed`.

        A response of more than `LONGEST` characters counts as a failed request.
        """
        try:
            if (size := len(response.text)) > LONGEST:
                reason = f"an answer of {size:,} characters, more than {LONGEST:,}"
                response = dataclasses.replace(response, text="", failure=reason)
            text = without_reasoning(response.text)
            read = response if text == response.text else dataclasses.replace(response, text=text)
            record = self.benchmark.record(row, read, self.context)
            if record.status == "request_failed":
                return record
            if not text and (response.truncated or is_cut_in_reasoning(response.text)):
                record = dataclasses.replace(record, rule="truncated")
            if response.truncated is None:
                return record
            return dataclasses.replace(
                record, details={**record.details, "truncated": response.truncated}
            )
        except Exception as error:
            logger.exception(
                "Question %s could not be scored; its answer is kept in the samples file.",
                row["id"],
            )
            return Record(str(row["id"]), status="scoring_failed", reason=repr(error))

    def requests(self, records: Sequence[Record]) -> list[JudgeRequest]:
        """Return the pending judge requests of the records."""
        questions = self.join(records, self.context) if self.join else records
        return [ask.request for record in questions for ask in record.asks]

    def score(self, records: Sequence[Record], whole: bool = True) -> list[Record]:
        """Return the records judged, with the per-answer scores of every metric.

        Several answers to one document count as several runs. Scores that depend on other answers (CIDEr), and those of
        questions of several documents, need the `whole` run: a process of several has a part of it.
        """
        scored = judged(records, self.judge)
        runs: defaultdict[int, list[int]] = defaultdict(list)
        earlier: Counter[str] = Counter()
        for place, record in enumerate(
            scored
        ):  # one run of first answers, one of second ones: scores are keyed by id
            runs[earlier[record.id]].append(place)
            earlier[record.id] += 1
        for places in runs.values():
            for place, record in zip(
                places, self._scored([scored[place] for place in places], whole), strict=True
            ):
                scored[place] = record
        return scored

    @cached_property
    def metrics(self) -> list[Metric]:
        """The computable metrics of the task, the headline first."""
        return [
            metric
            for metric in self.benchmark.metrics(self.settings)
            if self.why_not(metric) is None
        ]

    def why_not(self, metric: Metric) -> str | None:
        """Return why a metric cannot be computed, or None."""
        if metric.needs == "judge" and self.judge is None:
            return "judging is switched off (SPIQA_JUDGE=none or --judge none)"
        if metric.needs == "text programs":
            return self.context.unavailable.get(metric.name.removesuffix(RELEASED))
        return None

    def value(self, name: str, records: Sequence[Record]) -> Value:
        """Return the value of a row of the table (`metric` or `metric/group`) over the records of its group."""
        if name == SCORING_FAILED.name:
            return SCORING_FAILED.compute(records)
        metric = self.benchmark.metric(name, self.settings)
        return RecordSet(records, () if metric.of_documents else self.questions(records)).value(
            metric
        )

    def questions(self, records: Sequence[Record]) -> list[Record]:
        """Return one judged record per question; the records themselves if each is a question."""
        if self.join is None:
            return list(records)
        return judged(self.join(records, self.context), self.judge)

    def _scored(self, documents: list[Record], whole: bool) -> list[Record]:
        """Return the documents with per-answer scores; the first document of a question carries its joined record."""
        if self.join is None:
            metrics = [metric for metric in self.metrics if metric.needs == "text programs"]
            return _with_answer_scores(
                documents, [metric for metric in metrics if whole or not metric.of_corpus]
            )
        if not whole:
            return documents
        metrics = [
            metric for metric in self.metrics if not metric.of_documents and metric.needs != "judge"
        ]
        scored = _with_answer_scores(self.questions(documents), metrics)
        by_anchor = {
            question.details["anchor"]: question
            for question in scored
            if "anchor" in question.details
        }
        found = []
        for document in documents:
            if question := by_anchor.get(document.id):
                details = {**document.details, "question": question.as_dict()}
                document = dataclasses.replace(document, scores=question.scores, details=details)
            found.append(document)
        return found


def judged(records: Sequence[Record], judge: Judge | None) -> list[Record]:
    """Return the records with the judge's scores, or unchanged without a judge; blocks until all are judged."""
    if judge is None:
        return list(records)
    verdicts = iter(judge.verdicts([ask.request for record in records for ask in record.asks]))
    return [record.judged([next(verdicts) for _ in record.asks]) for record in records]


def _with_answer_scores(records: Sequence[Record], metrics: Collection[Metric]) -> list[Record]:
    """Return the records with their scores by some metrics, which may score a subset, in another order."""
    by_id: defaultdict[str, dict[str, float]] = defaultdict(dict)
    prepare([(metrics, records)])
    with progress(f"scores of {counted(len(records), 'answer')}", len(metrics)) as show:
        for place, metric in enumerate(metrics if records else ()):
            show(place)
            for key, score in metric.compute(records).scores.items():
                by_id[key][metric.name] = score
    return [
        record.with_scores(by_id[record.id]) if record.id in by_id else record for record in records
    ]
