"""Bins of equal count, for accuracy against a property of the question."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np


def quantile_bins(values: Sequence[float], count: int) -> list[tuple[float, float]]:
    """Return at most `count` bins (low, high) that hold about as many of `values` each.

    Both ends are values and belong to the bin; equal values share a bin, so there may be fewer bins. No values give
    no bins. Raises ValueError for `count` below 1.
    """
    if count < 1:
        raise ValueError(f"expected at least one bin, got {count}")
    if not values:
        return []
    distinct = np.unique(values)
    highs = np.unique(np.quantile(values, np.arange(1, count + 1) / count, method="inverted_cdf"))
    lows = distinct[[0, *(np.searchsorted(distinct, highs[:-1]) + 1)]]
    return list(zip(lows.tolist(), highs.tolist(), strict=True))


def bin_index(value: float, bins: Sequence[tuple[float, float]]) -> int:
    """Return which of the `bins`, made from values that include `value`, holds it."""
    return bisect_left([high for _, high in bins], value)
