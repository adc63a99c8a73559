"""Metrics as functions of records, over a run or a group.

Over too few of them a value is withheld (NaN).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Literal

from spiqa_tasks.benchmarks.record import Record, Records
from spiqa_tasks.metrics import text_scores
from spiqa_tasks.scoring.intervals import Interval, mean_interval

Needs = Literal["nothing", "judge", "text programs"]
# (prediction, reference) of each answer.
Pairs = list[tuple[str, str]]

# Suffix of metrics that are computed as the released scripts do.
RELEASED = "_released"

# Least share of the questions that have an answer, and of the answers that have a score. Missing
# ones are no random sample: a mean over the others would be biased.
MINIMUM_SHARE = 0.99

# Reason of a value of a group in which the task has no question.
NO_ANSWER = "there is no such answer"

# What a run has too few of, for `too_few`.
ANSWERED = "questions were answered"


@dataclass(frozen=True)
class Value:
    """A metric's value over `n` answers.

    Attributes:
        value: in natural units; NaN if withheld.
        scores: id -> score; {} for corpus metrics.
        reason: why it is withheld; None with NaN and n=0 if the answers lack what the metric needs.
        clusters: id -> cluster key, or None.
        missing: number of further answers without a score.
        interval_of: `Metric.interval_of`.
    """

    value: float
    n: int
    # a notebook shows a value: it has hundreds of these
    scores: Mapping[str, float] = field(default_factory=dict, repr=False)
    reason: str | None = None
    clusters: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    missing: int = 0
    interval_of: Callable[..., Interval] | None = field(default=mean_interval, repr=False)

    @cached_property
    def is_mean(self) -> bool:
        """Whether the value is the mean of the scores: not METEOR, a released score, a mean over
        axes, or a value without scores.
        """
        if self.interval_of is None or not self.scores:
            return False
        return math.isclose(self.value, fmean(self.scores.values()), abs_tol=1e-9)

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, or None if the value is no mean."""
        if self.interval_of is None or not self.is_mean:
            return None
        clusters = [self.clusters.get(key) for key in self.scores]
        interval = self.interval_of([*self.scores.values()], clusters)
        if interval.low is None or interval.high is None:
            return None
        return interval.low, interval.high


@dataclass(frozen=True)
class Metric:
    """A metric of a benchmark.

    Attributes:
        of_corpus: whether the score of an answer depends on the other answers (CIDEr's word
            weights).
        of_documents: whether it is computed over documents if a question is several documents.
        interval_of: (scores, cluster keys) -> interval of the mean of the answers' scores; None if
            the value is no mean of them (METEOR).
        pairs: records -> (prediction, reference) pairs, for a metric that needs text programs.
        in_table: whether it is in the host's table; `score` prints all.
        groups: groups whose values are in the table, as rows `metric/group`.
        signature: signature fields of the tools that it is computed with.
    """

    name: str
    compute: Callable[[Records], Value]
    higher_is_better: bool = True
    needs: Needs = "nothing"
    of_corpus: bool = False
    of_documents: bool = False
    interval_of: Callable[..., Interval] | None = mean_interval
    pairs: Callable[[Records], Pairs] | None = None
    in_table: bool = True
    groups: Sequence[str] = ()
    signature: Mapping[str, str] = field(default_factory=dict)


# Row of a table, `metric` or `metric/group` -> (metric, group or None).
Rows = dict[str, tuple[Metric, str | None]]


def metric_rows(metrics: Iterable[Metric]) -> Rows:
    """Return a row per metric, in order, each followed by those of its groups."""
    rows: Rows = {}
    for metric in metrics:
        rows[metric.name] = (metric, None)
        rows |= {f"{metric.name}/{group}": (metric, group) for group in metric.groups}
    return rows


def mean_of(name: str, needs: Needs = "nothing") -> Metric:
    """Return the metric that averages the records' scores of that name.

    Questions that were not asked completely have none. They are missing, and make no difference to
    the value of a part.
    """

    def compute(records: Records) -> Value:
        value = mean_value({record.id: record.scores.get(name) for record in whole(records)})
        return replace(value, missing=len(records) - value.n)

    return Metric(name, compute, needs=needs)


def share_of(name: str, holds: Callable[[Record], bool], needs: Needs = "nothing") -> Metric:
    """Return the metric of the share of records that satisfy `holds`, less is better.

    Failed scorings are excluded.
    """

    def compute(records: Records) -> Value:
        """Return the share of the scored records for which `holds` is true."""
        return mean_value(
            {
                record.id: None if record.status == "scoring_failed" else float(holds(record))
                for record in records
            }
        )

    return Metric(name, compute, higher_is_better=False, needs=needs)


def mean_value(scores: Mapping[str, float | None]) -> Value:
    """Return the mean of id -> score, withheld if too few are known."""
    known = {key: score for key, score in scores.items() if score is not None}
    if missing := value_of_too_few(len(known), len(scores)):
        return missing
    mean = fmean(known.values())
    return Value(mean, len(known), known, missing=len(scores) - len(known))


# Number of records that a defect kept from being scored; a row of the table only if there are any.
SCORING_FAILED = Metric(
    "scoring_failed_count",
    lambda records: Value(
        float(sum(record.status == "scoring_failed" for record in records)), len(records)
    ),
    higher_is_better=False,
)


REQUEST_FAILED = share_of("request_failed_rate", lambda record: record.status == "request_failed")

# Shares of questions without an answer: refused, not parsed, request failed.
FAILURE_RATES: tuple[Metric, ...] = (
    share_of("refusal_rate", lambda record: record.refused),
    share_of("unparsed_rate", lambda record: record.unparsed),
    REQUEST_FAILED,
)


def _truncated_rate(records: Records) -> Value:
    """Return the share of answers that were cut off; NaN where no length is known."""
    # the host logs no lengths
    if all(record.truncated is None for record in records):
        return Value(math.nan, 0)
    return mean_value({record.id: float(bool(record.truncated)) for record in records})


# Share of answers that are known to be cut off; no row of the host's table.
TRUNCATED_RATE = Metric("truncated_rate", _truncated_rate, higher_is_better=False, in_table=False)


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` items are at least one, and at least `MINIMUM_SHARE` of `total`."""
    return known > 0 and known >= MINIMUM_SHARE * total


def too_few(known: int, total: int, what: str) -> str:
    """Return the reason to withhold a value over `known` of `total` items, or ''.

    `what` completes the sentence: "answers have a score" gives "90 of 100 answers have a score,
    fewer than 99%".
    """
    if is_covered(known, total):
        return ""
    if not total:
        return f"no {what}"
    return f"{known} of {total} {what}, fewer than {100 * MINIMUM_SHARE:g}%"


def whole(records: Records) -> list[Record]:
    """Return the questions all of whose documents were answered."""
    return [record for record in records if record.status != "incomplete"]


def value_of_too_few(scored: int, total: int) -> Value | None:
    """Return the withheld value if too few of `total` answers are `scored`, or None."""
    reason = too_few(scored, total, "answers have a score")
    return Value(math.nan, scored, reason=reason) if reason else None


def prepare(asked: Iterable[tuple[Iterable[Metric], Records]]) -> None:
    """Run the text programs once for the (metrics, questions) of all runs: starting Java costs
    more than a group.
    """
    pairs: Pairs = []
    names: list[str] = []
    for metrics, records in asked:
        for metric in metrics:
            if metric.pairs:
                names.append(metric.name.removesuffix(RELEASED))
                pairs += metric.pairs(records)
    if pairs:
        # what these leave to compute takes no time
        text_scores.text_scores(pairs, [name for name in text_scores.SLOW if name in names])


def value_over(metric: Metric, records: Records, total: int = 0, withheld: str = "") -> Value:
    """Return the value of a metric over records of one run, with their clusters.

    It is withheld (NaN with a reason) without records, and by the metric itself. Two further
    reasons are the caller's to know, as the records may be a part of the run:

    Args:
        total: number of questions that the records should be; 0 if unknown, or for the value of a
            part. Fewer than 99% of them with an answer and a score withhold the value.
        withheld: why every value of the run is withheld, or ''.
    """
    if withheld:
        return Value(math.nan, len(whole(records)), reason=withheld)
    if not records and not total:
        return Value(math.nan, 0, reason=NO_ANSWER)

    value = replace(
        metric.compute(records),
        clusters={record.id: record.cluster for record in records},
        interval_of=metric.interval_of,
    )
    if value.reason or not total:
        return value
    # Unanswered questions and answers without a score count together.
    scored = len(records) - value.missing
    reason = too_few(scored, total, "questions were answered and have a score")
    return Value(math.nan, value.n, reason=reason) if reason else value


def group_sizes(groups: Iterable[Mapping[str, str]]) -> dict[str, int]:
    """Return group -> number of questions, of each question's column -> group.

    A name that groups of different size in two columns have is left out.
    """
    of_columns = Counter(pair for of_question in groups for pair in of_question.items())
    sizes = dict.fromkeys((name, size) for (_, name), size in of_columns.items())
    known = Counter(name for name, _ in sizes)
    return {name: size for name, size in sizes if known[name] == 1}


@dataclass(frozen=True)
class RecordSet:
    """The records of one run on one task, with the values of metrics overall and by group.

    Attributes:
        questions: one record per question; `documents` itself if each is a question.
        asked: number of questions of the task; 0 if unknown.
        partial: whether values over too few of the questions are returned instead of withheld.
        sizes: `group_sizes` of the task's questions, or {}.
    """

    documents: Records
    questions: Records
    asked: int = 0
    partial: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def answered(self) -> int:
        """Number of questions all of whose documents were answered."""
        return len(whole(self.questions))

    @property
    def is_whole(self) -> bool:
        """Whether enough of the task's questions were answered; True if their number is unknown."""
        return not self.asked or is_covered(self.answered, self.asked)

    @property
    def coverage(self) -> str:
        """Number of answered questions as `n of N`."""
        return f"{self.answered} of {self.asked or self.answered}"

    @property
    def part(self) -> str:
        """`coverage` if too few of the task's questions were answered, or ''."""
        return "" if self.is_whole else self.coverage

    def members(self, metric: Metric, group: str | None = None) -> Records:
        """Return the records of a metric (documents or questions), of one group if named."""
        records = self.documents if metric.of_documents else self.questions
        if group is None:
            return records
        return [record for record in records if group in record.groups.values()]

    def value(
        self, metric: Metric, group: str | None = None, members: Records | None = None
    ) -> Value:
        """Return the value of a metric over all of its records or those of a group, `value_over`.

        `members` are the group's records, where two kinds of groups may have one name.
        """
        if members is None:
            members = self.members(metric, group)
        total = self.asked if group is None else self.size(group, members)
        if self.partial or metric.of_documents:
            total = 0
        return value_over(metric, members, total, self.withheld())

    def size(self, group: str, members: Records) -> int:
        """Return the number of the task's questions in a group, of which `members` are here; 0 if
        it is unknown.
        """
        size = self.sizes.get(group, 0)
        # If the whole task was answered, so was the group.
        return max(size, len(members)) if size or self.is_whole else 0

    def withheld(self) -> str:
        """Return why every value is withheld, or '': too few of the questions were answered."""
        if self.partial or self.is_whole:
            return ""
        return too_few(self.answered, self.asked, ANSWERED)
