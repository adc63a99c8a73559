"""Counts of a release beside those that its paper prints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from spiqa_tasks.published import load


@dataclass(frozen=True)
class Count:
    """A number that describes a release, in its own unit.

    Attributes:
        split: of the release; `all` for what is of several.
        place: the table, figure or section of the paper that prints or draws it.
        statistic: what is counted.
        value: as counted; NaN where it is withheld.
        published: as printed; NaN where it is not.
        distribution: (value, how often it occurs), where `value` is their mean.
        why_not: why `value` is withheld.
        is_missing: whether it could be counted from files that are not there or cannot be read.
    """

    split: str
    place: str
    statistic: str
    value: float = math.nan
    published: float = math.nan
    distribution: tuple[tuple[int, int], ...] = ()
    why_not: str = ""
    is_missing: bool = False

    @property
    def difference(self) -> float:
        """Counted minus printed; NaN where there is not both."""
        return self.value - self.published


def printed(paper: str, table: str, **keys: str) -> dict[str, float]:
    """Return statistic -> the number that a published table of counts has in the rows with these keys."""
    rows = [row for row in load(paper, table) if all(row[name] == value for name, value in keys.items())]
    return {str(row["statistic"]): float(row["value"] or math.nan) for row in rows}


def withheld(split: str, place: str, statistics: Mapping[str, float], why_not: str, missing: bool) -> Iterator[Count]:
    """Yield the rows of printed numbers that cannot be counted."""
    for statistic, published in statistics.items():
        yield Count(split, place, statistic, math.nan, published, (), why_not, missing)


def distributed(count: Count, values: Mapping[int, int]) -> Count:
    """Return a row with a distribution, value -> how often it occurs, and its mean."""
    return replace(count, value=mean_of(values), distribution=tuple(sorted(values.items())))


def mean_of(values: Mapping[int, int], of: Callable[[int], float] = float) -> float:
    """Return the mean of a function of values, each with how often it occurs; NaN of none."""
    total = sum(values.values())
    return sum(of(value) * often for value, often in values.items()) / total if total else math.nan


def by_name(split: str, place: str, prefix: str, names: Iterable[str]) -> Iterator[Count]:
    """Yield how often each name occurs, in alphabetical order, as `prefix/name`."""
    for name, count in sorted(Counter(names).items()):
        yield Count(split, place, f"{prefix}/{name}", count)
