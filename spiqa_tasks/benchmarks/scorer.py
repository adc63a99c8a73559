"""Scoring of a task's responses, shared by the hosts' hooks and `score`: records, judge
requests, values.
"""

from __future__ import annotations

import dataclasses
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark, Join, Row
from spiqa_tasks.benchmarks.metric import (
    RELEASED,
    SCORING_FAILED,
    Metric,
    Value,
    prepare,
    value_over,
)
from spiqa_tasks.benchmarks.record import Record, Records, Response
from spiqa_tasks.benchmarks.signature import signature_text
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Rule
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.metrics.text_scores import available_metrics
from spiqa_tasks.printable import counted, progress
from spiqa_tasks.scoring.responses import is_cut_in_reasoning, without_reasoning

logger = logging.getLogger("spiqa_tasks")

# Characters of an answer that are read, without its thoughts: a longer one is a model in a loop, or
# a file by mistake.
LONGEST = 100_000


def make_scorer(
    benchmark: Benchmark, settings: str, host: str, judge: Judge | None, **made: str
) -> Scorer:
    """Return the scorer of a task, with the installed text metrics.

    InputError for unknown settings.

    `host` and `made`, which says how the answers were made, are fields of the signature.
    """
    parsed = benchmark.parse(settings)
    metrics = benchmark.metrics(parsed)
    fields: dict[str, str] = {}
    for metric in metrics:
        fields |= metric.signature
    if judge is not None:
        fields |= judge.configured
    fields |= {name: value for name, value in made.items() if value}

    missing = {}
    if any(metric.needs == "text programs" for metric in metrics):
        missing = missing_text_metrics()
        # `score`, which names the form of the predictions, says it below its table.
        if "predictions" not in made:
            log_missing_text_metrics()
    return Scorer(benchmark, parsed, host, judge, fields, missing)


@cache
def missing_text_metrics() -> dict[str, str]:
    """Return text metric -> why this machine cannot compute it."""
    return {name: reason for name, reason in available_metrics().items() if reason is not None}


@cache
def log_missing_text_metrics() -> None:
    """Log each reason of `missing_text_metrics`, once per process."""
    missing = missing_text_metrics()
    for reason in dict.fromkeys(missing.values()):
        names = [name for name in missing if missing[name] == reason]
        verb = "is" if len(names) == 1 else "are"
        logger.warning("%s %s left out: %s.", ", ".join(names), verb, reason)


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores the responses to one task.

    Attributes:
        host: name and version, for the signature.
        judge: None if there is none or it is not needed.
        signature: signature fields of the metrics, the judge and the answers.
        unavailable: text metric -> why it cannot be computed on this machine.
    """

    benchmark: Benchmark
    settings: Any
    host: str
    judge: Judge | None
    signature: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)

    @property
    def rule(self) -> Rule | None:
        """The judge's rule, or None without a judge."""
        return None if self.judge is None else self.judge.rule

    @cached_property
    def join(self) -> Join | None:
        """The function that joins documents into questions, or None if each is a question."""
        return self.benchmark.join(self.settings)

    def record(self, row: Row, response: Response) -> Record:
        """Return the record of one response, not yet judged.

        An exception becomes the status `scoring_failed`; an answer of more than `LONGEST`
        characters counts as cut off there.
        """
        try:
            return self._record(row, response)
        except Exception as error:
            logger.exception(
                "Question %s could not be scored; its answer is kept in the samples file.",
                row["id"],
            )
            return Record(str(row["id"]), status="scoring_failed", reason=repr(error))

    def _record(self, row: Row, response: Response) -> Record:
        """Return the record of a response: scored, or failed with the reason."""
        failure, truncated = response.failure, response.truncated
        # A failed request has the groups and the signature of its question, and no answer.
        text = without_reasoning(response.text) if failure is None else ""
        if len(text) > LONGEST:
            text, truncated = text[:LONGEST], True

        answer = dataclasses.replace(response, text=text, truncated=truncated)
        record = self.benchmark.record(row, answer, self.rule)
        record = dataclasses.replace(record, signature=self._signature(row))
        if failure is not None:
            return record.failed(failure)

        # A cut answer in which something was read keeps the rule that read it.
        if not text and (truncated or is_cut_in_reasoning(response.text)):
            record = dataclasses.replace(record, rule="truncated")
        if truncated is None:
            return record
        return dataclasses.replace(record, details={**record.details, "truncated": truncated})

    def _signature(self, row: Row) -> str:
        """Return the signature of a row's answers as one text, `name:value|...`."""
        data = f"{row['benchmark']}/{row['split']}@{row['data']}"
        fields = tuple(self.signature.items())
        return signature_text(self.host, data, self.benchmark.wording(row), row["settings"], fields)

    def requests(self, records: Records) -> list[JudgeRequest]:
        """Return the pending judge requests of the records."""
        questions = self.join(records, self.rule) if self.join else records
        return _pending(questions)

    def score(
        self, records: Records, whole: bool = True, later: Collection[str] = ()
    ) -> list[Record]:
        """Return the records of different documents judged, with the per-answer scores of every
        metric but those that are computed `later`, when their value is asked for.

        Scores that depend on other answers (CIDEr), and those of questions of several documents,
        need the `whole` run: a process of several has a part of it.
        """
        if self.join is not None:
            return self._with_questions(records) if whole else list(records)

        metrics = []
        for metric in self.metrics:
            is_now = metric.name.removesuffix(RELEASED) not in later
            if metric.needs == "text programs" and is_now and (whole or not metric.of_corpus):
                metrics.append(metric)
        return _with_answer_scores(judged(records, self.judge), metrics)

    def _with_questions(self, documents: Records) -> list[Record]:
        """Return the documents; one of each question has the question's scores and verdicts."""
        metrics = [
            metric for metric in self.metrics if not metric.of_documents and metric.needs != "judge"
        ]
        scored = {record.id: record for record in documents}
        for question in _with_answer_scores(self.questions(documents), metrics):
            if anchor := question.details.get("anchor"):
                scored[anchor] = dataclasses.replace(
                    scored[anchor], scores=question.scores, verdicts=question.verdicts
                )
        return list(scored.values())

    def questions(self, records: Records) -> list[Record]:
        """Return one judged record per question; the records themselves if each is a question."""
        if self.join is None:
            return list(records)
        return judged(self.join(records, self.rule), self.judge)

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
            return "there is no judge (SPIQA_JUDGE or --judge names one)"
        if metric.needs == "text programs":
            return self.unavailable.get(metric.name.removesuffix(RELEASED))
        return None

    def value(self, name: str, records: Records) -> Value:
        """Return the value of a row of the host's table over the records of its group."""
        if name == SCORING_FAILED.name:
            return SCORING_FAILED.compute(records)
        metric, _ = self.benchmark.rows_of_table(self.settings)[name]
        members = records if metric.of_documents else self.questions(records)
        return value_over(metric, members)


def judged(records: Records, judge: Judge | None) -> list[Record]:
    """Return the records with the judge's scores, or unchanged without a judge.

    Blocks until all are judged.
    """
    if judge is None:
        return list(records)
    # One call for all: a judge is asked many requests at a time.
    verdicts = iter(judge.verdicts(_pending(records)))
    return [record.judged([next(verdicts) for _ in record.requests]) for record in records]


def _pending(records: Records) -> list[JudgeRequest]:
    """Return the requests to the judge that records wait for, in order."""
    return [pending.request for record in records for pending in record.requests]


def _with_answer_scores(records: Records, metrics: Collection[Metric]) -> list[Record]:
    """Return the records with their scores by some metrics, which may score a subset, in another
    order.
    """
    if not records:
        return []
    # Java starts once for all metrics.
    prepare([(metrics, records)])
    by_id: defaultdict[str, dict[str, float]] = defaultdict(dict)
    with progress(f"scores of {counted(len(records), 'answer')}", len(metrics)) as bar:
        for metric in metrics:
            for key, score in metric.compute(records).scores.items():
                by_id[key][metric.name] = score
            bar.n += 1
    return [record.with_scores(by_id[record.id]) for record in records]
