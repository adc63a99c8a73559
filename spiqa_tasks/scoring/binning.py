"""Bins of equal count, for accuracy against a property of the question."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def quantile_bins(values: Sequence[float], count: int) -> list[tuple[float, float]]:
    """At most `count` bins (low, high) that hold about as many of `values` each.

    Both ends are values and belong to the bin; equal values share a bin, so there may be fewer bins. No values give
    no bins. Raises ValueError for `count` below 1.
    """
    if count < 1:
        raise ValueError(f"expected at least one bin, got {count}")
    ordered = sorted(values)
    highs = sorted({ordered[-(-len(ordered) * part // count) - 1] for part in range(1, count + 1)}) if ordered else []
    bins = []
    low = ordered[0] if ordered else 0.0
    for high in highs:
        bins.append((low, high))
        low = next((value for value in ordered if value > high), high)
    return bins


def bin_index(value: float, bins: Sequence[tuple[float, float]]) -> int:
    """Which of the `bins` made from values that include `value` holds it."""
    return bisect_left([high for _, high in bins], value)
