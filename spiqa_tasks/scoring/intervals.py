"""Confidence intervals for means of per-question scores."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BLOCK_DRAWS = 4_000_000


def wilson(hits: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval (low, high) in [0, 1] of a proportion; `(nan, nan)` for no observations.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927. `z` is the
    normal quantile, by default that of a 95% interval. Raises ValueError unless 0 <= hits <= n and z >= 0.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"expected 0 <= hits <= n, got hits={hits}, n={n}")
    if not z >= 0:
        raise ValueError(f"expected z >= 0, got {z}")
    if n == 0:
        return math.nan, math.nan
    share = hits / n
    scale = 1 + z**2 / n
    centre = (share + z**2 / (2 * n)) / scale
    margin = z / scale * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if hits == 0 else max(0.0, centre - margin)
    high = 1.0 if hits == n else min(1.0, centre + margin)
    return low, high


def bootstrap_means(scores: ArrayLike, repeats: int, size: int | None, seed: int) -> NDArray[np.float64]:
    """Return the means, shape (repeats,), of resamples of `scores` drawn with replacement.

    `scores` has shape (n,), every value finite; each resample has `size` draws (n where None). The same arguments
    give the same means. Memory is bounded whatever `repeats` is: draws are made in blocks of about four million.
    Scores that are all 0 or 1 take a shortcut that is exact: the number of ones among `size` independent draws with
    replacement is Binomial(size, share of ones). Raises ValueError for no scores, a value that is not finite, a
    shape of more than one dimension, `repeats` below 0 or `size` below 1.
    """
    values = np.asarray(scores, dtype=np.float64)
    draws = values.size if size is None else size
    _check(values, repeats, draws)
    generator = np.random.default_rng(seed)
    if np.isin(values, (0.0, 1.0)).all():
        return generator.binomial(draws, values.mean(), size=repeats) / draws
    means = np.empty(repeats)
    rows = max(1, _BLOCK_DRAWS // draws)
    for start in range(0, repeats, rows):
        stop = min(start + rows, repeats)
        picks = generator.integers(values.size, size=(stop - start, draws), dtype=np.int32)
        means[start:stop] = values[picks].mean(axis=1)
    return means


def paired_bootstrap(differences: ArrayLike, repeats: int, seed: int, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile bootstrap interval (low, high) of the mean paired difference, in the scores' own unit.

    `differences` has shape (n,): one system's score minus the other's on the same question, so that what the
    questions share cancels. Raises ValueError as `bootstrap_means` does, for `repeats` below 1, and for a `level`
    outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, got {level}")
    if repeats < 1:
        raise ValueError(f"expected at least one repeat, got {repeats}")
    tail = (1 - level) / 2
    low, high = np.quantile(bootstrap_means(differences, repeats, None, seed), (tail, 1 - tail))
    return float(low), float(high)


def _check(values: NDArray[np.float64], repeats: int, draws: int) -> None:
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"expected a non-empty list of finite scores, got an array of shape {values.shape}")
    if repeats < 0 or draws < 1:
        raise ValueError(f"expected repeats >= 0 and size >= 1, got repeats={repeats}, size={draws}")
