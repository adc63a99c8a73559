"""Means over clustered questions: standard error, interval, bootstrap and paired test.

Every function takes the cluster key of each score (None: a cluster of its own), so that all of them rest on the same
partition.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
_BLOCK = 1_000_000
"""Weights in memory at a time (8 MB)."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval; NaN if undefined."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class ClusteredMean:
    """The mean of `n` scores in their unit, its standard error and 95% interval by the t distribution.

    All but the mean are NaN for fewer than two clusters.
    """

    n: int
    mean: float
    stderr: float
    low: float
    high: float


def partition(clusters: Sequence[Hashable | None]) -> list[list[int]]:
    """Return the indices of each cluster, in order of first occurrence; None is a cluster of its own."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, cluster in enumerate(clusters):
        places[(place,) if cluster is None else (cluster, "")].append(place)
    return list(places.values())


def clustered_stderr(scores: Sequence[float], clusters: Sequence[Hashable | None]) -> float:
    """Return the clustered standard error of the mean of `scores`; NaN below two scores.

    Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), equation 4: the square root of the
    central limit theorem's variance (with n - 1) plus the products of different deviations within each cluster over
    n squared. A sum below 0, possible if a cluster's deviations cancel, counts as 0. With a cluster per score it is
    the plain standard error. Raises ValueError for lists of different lengths.
    """
    n = len(scores)
    if len(clusters) != n:
        raise ValueError(f"expected a cluster for each of {n} scores, got {len(clusters)}")
    if n < 2:
        return math.nan
    mean = math.fsum(scores) / n
    deviations = [[scores[place] - mean for place in places] for places in partition(clusters)]
    squares = math.fsum(deviation**2 for group in deviations for deviation in group)
    products = math.fsum(math.fsum(group) ** 2 for group in deviations) - squares
    return math.sqrt(max(0.0, squares / (n - 1) / n + products / n**2))


def clustered_mean(scores: Sequence[float], clusters: Sequence[Hashable | None]) -> ClusteredMean:
    """Return the mean of at least one score with its 95% interval.

    The interval is that of the t distribution with clusters - 1 degrees of freedom, as in the paired test (Miller 2024,
    section 2.2): a normal one is too narrow for the few papers of a split. Raises ValueError for no scores and for
    lists of different lengths.
    """
    if not scores:
        raise ValueError("expected at least one score, got none")
    mean = math.fsum(scores) / len(scores)
    freedom = len(partition(clusters)) - 1
    stderr = clustered_stderr(scores, clusters) if freedom > 0 else math.nan
    if math.isnan(stderr):
        return ClusteredMean(len(scores), mean, math.nan, math.nan, math.nan)
    from scipy.stats import t  # takes longer to import than all of scoring

    margin = float(t.ppf((1 + LEVEL) / 2, freedom)) * stderr
    return ClusteredMean(len(scores), mean, stderr, mean - margin, mean + margin)


def mean_interval(scores: Sequence[float], clusters: Sequence[Hashable | None]) -> tuple[float, float] | None:
    """Return the 95% interval of the mean of scores >= 0, or None for a single cluster.

    Unclustered shares have Wilson's interval; other means that of `clustered_mean`, cut at 0 and at 1 (CIDEr: at the
    highest score).
    """
    if set(clusters) <= {None} and set(scores) <= {0.0, 1.0}:
        from spiqa_tasks.scoring.intervals import wilson  # imports NumPy, which many importers do not need

        return wilson(round(sum(scores)), len(scores)) if scores else None
    mean = clustered_mean(scores, clusters)
    if math.isnan(mean.stderr):
        return None
    return max(0.0, mean.low), min(max(1.0, *scores), mean.high)


def clustered_bootstrap(
    scores: Sequence[float], clusters: Sequence[Hashable | None], repeats: int, seed: int
) -> tuple[float, float]:
    """Return the 95% percentile interval of the mean of `scores` by a bootstrap of whole clusters.

    Scores may be paired differences. Raises ValueError for no scores, one
    that is not finite, lists of different lengths and `repeats` below 1.
    """
    if len(clusters) != len(scores):
        raise ValueError(f"expected a cluster for each of {len(scores)} scores, got {len(clusters)}")
    from spiqa_tasks.scoring.intervals import bootstrap_interval  # see `mean_interval`

    groups = partition(clusters)
    sums = [math.fsum(scores[place] for place in places) for places in groups]
    return bootstrap_interval(sums, [len(places) for places in groups], repeats, seed, LEVEL)


def resampled_weights(clusters: Sequence[Hashable | None], repeats: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield bootstrap weights of whole clusters, for statistics other than means.

    Blocks of shape (resamples, scores), `repeats` rows in all; nothing for a single cluster.
    """
    import numpy as np

    groups = partition(clusters)
    if len(groups) < 2:
        return
    owner = np.empty(len(clusters), dtype=np.intp)
    for number, places in enumerate(groups):
        owner[places] = number
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(clusters))
    for start in range(0, repeats, rows):
        size = min(rows, repeats - start)
        drawn = generator.integers(len(groups), size=(size, len(groups))) + len(groups) * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * len(groups)).reshape(size, len(groups))
        yield counts[:, owner].astype(np.float64)


POWER = 0.8
"""Power of the smallest detectable difference, the usual convention."""


@dataclass(frozen=True)
class PairedDifference(ClusteredMean):
    """The mean of the differences over `n` questions.

    Attributes:
        p: two-sided p-value of a mean of 0.
        smallest: smallest true difference detected at p < 0.05 with 80% power.
    """

    p: float
    smallest: float


def paired_difference(differences: Sequence[float], clusters: Sequence[Hashable | None]) -> PairedDifference:
    """Return the paired t-test of `differences`, one per question.

    With a cluster per question it is the plain paired t-test, as in lmms-eval's `--baseline`; otherwise the standard
    error is clustered and there are clusters - 1 degrees of freedom. Source: E. Miller, "Adding Error Bars to Evals",
    2024 (arXiv 2411.00640), sections 2.2, 4.2 and 5. Raises ValueError for no differences and for lists of different
    lengths.
    """
    stats = clustered_mean(differences, clusters)
    if math.isnan(stats.stderr):
        return PairedDifference(stats.n, stats.mean, *[math.nan] * 5)
    from scipy.stats import norm, t  # takes longer to import than all of scoring

    smallest = float(norm.ppf((1 + LEVEL) / 2) + norm.ppf(POWER)) * stats.stderr
    freedom = len(partition(clusters)) - 1
    p = float(2 * t.sf(abs(stats.mean) / stats.stderr, freedom)) if stats.stderr > 0 else float(stats.mean == 0)
    return PairedDifference(stats.n, stats.mean, stats.stderr, stats.low, stats.high, p, smallest)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number, in the same order; NaN stays NaN and is not counted.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        corrected[place] = highest
    return corrected
