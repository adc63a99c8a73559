"""Quantile bins."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np


def quantile_bins(values: Sequence[float], count: int) -> list[tuple[float, float]]:
    """Return at most `count` bins (low, high) with about equally many of `values`.

    Both ends are values of the bin; equal values share a bin, so there may be fewer. No values give
    no bins.
    """
    if not values:
        return []

    distinct = np.unique(values)
    # Quantiles that are values themselves, each the highest of its bin.
    levels = np.arange(1, count + 1) / count
    highs = np.unique(np.quantile(values, levels, method="inverted_cdf"))

    # A bin begins with the value behind the highest of the one before.
    starts = np.searchsorted(distinct, highs[:-1]) + 1
    lows = distinct[[0, *starts]]
    return list(zip(lows.tolist(), highs.tolist(), strict=True))


def bin_index(value: float, bins: Sequence[tuple[float, float]]) -> int:
    """Return the index of the bin of `value`, one of the values that the bins were made from."""
    return bisect_left([high for _, high in bins], value)
