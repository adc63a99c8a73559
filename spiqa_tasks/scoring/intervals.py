"""Confidence intervals for means of per-question scores."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BLOCK_DRAWS = 4_000_000
"""Draws in memory at a time (32 MB)."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95% Wilson score interval (low, high) in [0, 1] of a proportion; (nan, nan) for n = 0.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927. Raises
    ValueError unless 0 <= hits <= n.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"expected 0 <= hits <= n, got hits={hits}, n={n}")
    if n == 0:
        return math.nan, math.nan
    from scipy.stats import binomtest  # takes longer to import than all of scoring

    interval = binomtest(hits, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def bootstrap_means(scores: ArrayLike, repeats: int, size: int, seed: int) -> NDArray[np.float64]:
    """Return the means, shape (repeats,), of resamples of `size` draws each from `scores` with replacement.

    `scores` has shape (n,), every value finite; `size` need not be n, unlike in scipy's bootstrap. The same arguments
    give the same means. Memory is bounded: draws are made in blocks. Raises ValueError for no scores, a value that is
    not finite, a shape of more than one dimension, `repeats` below 0 or `size` below 1.
    """
    values = _finite(scores)
    if repeats < 0 or size < 1:
        raise ValueError(f"expected repeats >= 0 and size >= 1, got repeats={repeats}, size={size}")
    generator = np.random.default_rng(seed)
    means = np.empty(repeats)
    for block in np.split(means, range(_rows(size), repeats, _rows(size))):
        block[:] = generator.choice(values, (block.size, size)).mean(axis=1)
    return means


def bootstrap_interval(
    sums: ArrayLike, counts: ArrayLike, repeats: int, seed: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile bootstrap interval (low, high) of a mean over clusters, in the scores' own unit.

    `sums` and `counts` have shape (clusters,): the sum of a cluster's scores and how many there are. Both
    ends are NaN for a single cluster. Raises ValueError for no clusters, a
    sum that is not finite, `repeats` below 1, and a `level` outside (0, 1).
    """
    values, sizes = _finite(sums), np.asarray(counts, dtype=np.float64)
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, got {level}")
    if repeats < 1:
        raise ValueError(f"expected at least one repeat, got {repeats}")
    if values.size == 1:
        return math.nan, math.nan
    from scipy.stats import bootstrap  # takes longer to import than all of scoring

    interval = bootstrap(
        (values, sizes),
        lambda drawn, drawn_sizes, axis: drawn.sum(axis=axis) / drawn_sizes.sum(axis=axis),
        n_resamples=repeats,
        batch=_rows(values.size),
        paired=True,
        vectorized=True,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(interval.low), float(interval.high)


def _finite(scores: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"expected a non-empty list of finite scores, got an array of shape {values.shape}")
    return values


def _rows(draws: int) -> int:
    """Return the number of resamples drawn at once."""
    return max(1, _BLOCK_DRAWS // draws)
