"""Quantile bins and stratified samples."""

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np


def quantile_bins(values: Sequence[float], count: int) -> list[tuple[float, float]]:
    """Return at most `count` bins (low, high) with about equally many of `values`.

    Both ends are values of the bin; equal values share a bin, so there may be fewer. No values give no bins.
    """
    if not values:
        return []
    distinct = np.unique(values)
    highs = np.unique(np.quantile(values, np.arange(1, count + 1) / count, method="inverted_cdf"))
    lows = distinct[[0, *(np.searchsorted(distinct, highs[:-1]) + 1)]]
    return list(zip(lows.tolist(), highs.tolist(), strict=True))


def bin_index(value: float, bins: Sequence[tuple[float, float]]) -> int:
    """Return the index of the bin of `value`, one of the values that the bins were made from."""
    return bisect_left([high for _, high in bins], value)


def stratified(kinds: Sequence[Hashable], size: int, seed: int) -> list[int]:
    """Return the sorted indices of a stratified sample: each kind has its share of `size`, up to one answer.

    The same arguments give the same indices; all indices if `size` is not smaller. The remainder of rounding goes to
    the kinds with the largest remainders.
    """
    if size >= len(kinds):
        return list(range(len(kinds)))
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, kind in enumerate(kinds):
        places[kind].append(place)
    shares = {kind: divmod(size * len(members), len(kinds)) for kind, members in places.items()}
    left = size - sum(whole for whole, _ in shares.values())
    more = sorted(shares, key=lambda kind: -shares[kind][1])[:left]
    generator = random.Random(seed)
    drawn = [
        generator.sample(members, shares[kind][0] + (kind in more))
        for kind, members in places.items()
    ]
    return sorted(place for members in drawn for place in members)
