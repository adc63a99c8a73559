"""How records become numbers: every metric is one function of records, of all of them or of a group's.

Nothing here changes a record. A number over fewer than 99% of its answers is withheld (NaN), with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.scoring.withholding import MINIMUM_SCORED, mean_or_nan

Needs = Literal["nothing", "judge", "text programs"]


@dataclass(frozen=True)
class Value:
    """A metric's value.

    Attributes:
        value: in natural units; NaN where it is withheld.
        n: how many answers it is over.
        scores: id -> score of an answer, where the metric has one for each.
        reason: why it is withheld; None with no value and no answers where nothing in them tells it.
    """

    value: float
    n: int
    scores: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None


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
        signature: returns the signature fields of what its values are computed with.
    """

    name: str
    compute: Callable[[Sequence[Record]], Value]
    higher_is_better: bool = True
    needs: Needs = "nothing"
    of_corpus: bool = False
    of_documents: bool = False
    signature: Callable[[], Mapping[str, str]] = dict


def mean_of(name: str, needs: Needs = "nothing") -> Metric:
    """Return the metric whose value is the mean of the records' scores of that name."""
    return Metric(name, lambda records: _mean({r.id: r.scores.get(name) for r in records}), needs=needs)


def share_of(name: str, holds: Callable[[Record], bool], needs: Needs = "nothing") -> Metric:
    """Return the metric whose value is the share of records of which `holds` is true; less is better.

    A record whose scoring failed says nothing about its answer and has no part in it.
    """

    def compute(records: Sequence[Record]) -> Value:
        known = {r.id: None if r.status == "scoring_failed" else float(holds(r)) for r in records}
        return _mean(known)

    return Metric(name, compute, higher_is_better=False, needs=needs)


def scoring_failed(records: Sequence[Record]) -> Value:
    """Return how many of the records could not be scored for a defect."""
    return Value(float(sum(record.status == "scoring_failed" for record in records)), len(records))


SCORING_FAILED = Metric("scoring_failed_count", scoring_failed, higher_is_better=False)
"""Its row is there only where there are such records."""


def withheld(scored: int, total: int) -> Value | None:
    """Return the withheld value where fewer than 99% of `total` answers are `scored`, else None."""
    if scored and scored >= MINIMUM_SCORED * total:
        return None
    return Value(math.nan, scored, reason=f"{scored} of {total} answers have a score, fewer than 99%")


def in_group(records: Iterable[Record], group: str) -> list[Record]:
    """Return the records of a group, by its name."""
    return [record for record in records if group in record.groups.values()]


def _mean(scores: Mapping[str, float | None]) -> Value:
    known = {key: score for key, score in scores.items() if score is not None}
    return withheld(len(known), len(scores)) or Value(mean_or_nan(list(scores.values())), len(known), known)
