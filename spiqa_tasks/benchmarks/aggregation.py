"""How records become numbers: every metric is one function of records, of all of them or of a group's.

Nothing here changes a record. A number over fewer than 99% of its answers, or of the task's questions, is withheld
(NaN), with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.metrics import text_scores
from spiqa_tasks.scoring.clustered import mean_interval
from spiqa_tasks.scoring.coverage import is_covered, mean_or_nan

Needs = Literal["nothing", "judge", "text programs"]
Pairs = list[tuple[str, str]]
RELEASED = "_released"
"""What the name of a metric ends in that is computed as the released scripts do."""


NO_ANSWER = "there is no such answer"


@dataclass(frozen=True)
class Value:
    """A metric's value.

    Attributes:
        value: in natural units; NaN where it is withheld.
        n: how many answers it is over.
        scores: id -> score of an answer, where the metric has one for each.
        reason: why it is withheld; None with no value and no answers where nothing in them tells it.
        clusters: id -> what the question shares with others, of the answers in `scores`.
        missing: how many answers it would be over, too, if they could have been scored.
    """

    value: float
    n: int
    scores: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    clusters: Mapping[str, str | None] = field(default_factory=dict)
    missing: int = 0

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval (`scoring.clustered.mean_interval`); None where the value is no mean over answers."""
        scores = list(self.scores.values())
        if not scores or not math.isclose(self.value, sum(scores) / len(scores), abs_tol=1e-9):
            return None
        return mean_interval(scores, [self.clusters.get(key) for key in self.scores])


@dataclass(frozen=True)
class Metric:
    """A metric of a benchmark.

    Attributes:
        name: without a group.
        compute: the value over some records, of which there is at least one.
        higher_is_better: whether more is better.
        needs: what must be there to compute it.
        of_corpus: whether an answer's score depends on the other answers.
        of_documents: whether it is over documents where a question is several of them.
        pairs: the (prediction, reference) pairs of some records, for a metric that needs text programs.
        signature: returns the signature fields of what its values are computed with.
    """

    name: str
    compute: Callable[[Sequence[Record]], Value]
    higher_is_better: bool = True
    needs: Needs = "nothing"
    of_corpus: bool = False
    of_documents: bool = False
    pairs: Callable[[Sequence[Record]], Pairs] | None = None
    signature: Callable[[], Mapping[str, str]] = dict


def mean_of(name: str, needs: Needs = "nothing") -> Metric:
    """Return the metric whose value is the mean of the records' scores of that name."""
    return Metric(name, lambda records: mean_value({r.id: r.scores.get(name) for r in records}), needs=needs)


def share_of(name: str, holds: Callable[[Record], bool], needs: Needs = "nothing") -> Metric:
    """Return the metric whose value is the share of records of which `holds` is true; less is better.

    A record whose scoring failed says nothing about its answer and has no part in it.
    """

    def compute(records: Sequence[Record]) -> Value:
        return mean_value({r.id: None if r.status == "scoring_failed" else float(holds(r)) for r in records})

    return Metric(name, compute, higher_is_better=False, needs=needs)


def mean_value(scores: Mapping[str, float | None]) -> Value:
    """Return the mean of the scores, id -> score; withheld where fewer than 99% are known."""
    known = {key: score for key, score in scores.items() if score is not None}
    missing = len(scores) - len(known)
    mean = mean_or_nan(list(known.values()))
    return withheld(len(known), len(scores)) or Value(mean, len(known), known, missing=missing)


SCORING_FAILED = Metric(
    "scoring_failed_count",
    lambda records: Value(float(sum(record.status == "scoring_failed" for record in records)), len(records)),
    higher_is_better=False,
)
"""How many of the records could not be scored for a defect; its row is there only where there are such records."""


def withheld(scored: int, total: int) -> Value | None:
    """Return the withheld value where fewer than 99% of `total` answers are `scored`, else None."""
    if is_covered(scored, total):
        return None
    return Value(math.nan, scored, reason=f"{scored} of {total} answers have a score, fewer than 99%")


def prepare(asked: Iterable[tuple[Iterable[Metric], Sequence[Record]]]) -> None:
    """Start the text programs once for all that metrics ask of records; groups of these then need no further start.

    Args:
        asked: for each run its metrics, of which those that need no text programs cost nothing, and its questions.
    """
    wanted = [
        (metric.name.removesuffix(RELEASED), metric.pairs(records))
        for metrics, records in asked
        for metric in metrics
        if metric.pairs
    ]
    text_scores.prepare([pair for _, pairs in wanted for pair in pairs], [name for name, _ in wanted])


def in_group(records: Iterable[Record], group: str) -> list[Record]:
    """Return the records of a group, by its name."""
    return [record for record in records if group in record.groups.values()]


@dataclass(frozen=True)
class RecordSet:
    """The records of one run to one task, and the one way to a metric's value over them or over a group's.

    Attributes:
        documents: one record per document.
        questions: one record per question; the same ones where no question is several documents.
        asked: how many questions the task has; 0 where that is not known.
        partial: whether values over fewer than 99% of them are wanted, too.
    """

    documents: Sequence[Record]
    questions: Sequence[Record]
    asked: int = 0
    partial: bool = False

    @cached_property
    def answered(self) -> int:
        """How many questions were asked in whole."""
        return sum(record.status != "incomplete" for record in self.questions)

    @property
    def is_whole(self) -> bool:
        """Whether at least 99% of the task's questions were asked, as far as their number is known."""
        return not self.asked or is_covered(self.answered, self.asked)

    @property
    def part(self) -> str:
        """`n of N` where fewer than 99% of the task's questions were asked, else empty."""
        return "" if self.is_whole else self.coverage

    @property
    def coverage(self) -> str:
        """How many of the task's questions were asked, `n of N`."""
        return f"{self.answered} of {self.asked or self.answered}"

    def members(self, metric: Metric, group: str | None = None) -> Sequence[Record]:
        """Return the records that a metric is over, those of a group where one is named."""
        records = self.documents if metric.of_documents else self.questions
        return records if group is None else in_group(records, group)

    def value(self, metric: Metric, group: str | None = None) -> Value:
        """Return a metric's value; NaN where there is no record, or too few of the task's questions were asked."""
        members = self.members(metric, group)
        if not members:
            return self.withheld() or Value(math.nan, 0, reason=NO_ANSWER)
        clusters = {record.id: record.cluster for record in members}
        value = self.withheld() or replace(metric.compute(members), clusters=clusters)
        counts_questions = group is None and not metric.of_documents
        if value.reason or self.partial or not (self.asked and counts_questions):
            return value
        scored = len(members) - value.missing
        reason = f"{scored} of {self.asked} questions were answered and have a score, fewer than 99%"
        return value if is_covered(scored, self.asked) else Value(math.nan, value.n, reason=reason)

    def withheld(self) -> Value | None:
        """Return what stands for every value where too few of the task's questions were asked; else None."""
        if self.partial or self.is_whole:
            return None
        return Value(math.nan, self.answered, reason=f"{self.coverage} questions were answered, fewer than 99%")
