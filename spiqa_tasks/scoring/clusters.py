"""Clusters of questions: their partition, the variance of a mean over them, and a bootstrap of whole clusters.

Questions of one cluster (a paper) are not independent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clusters = Sequence[Hashable | None]
"""The cluster key of each score; None is a cluster of its own."""

_BLOCK = 1_000_000
"""Bootstrap weights in memory at a time (8 MB)."""


def partition(clusters: Clusters) -> list[list[int]]:
    """Return the indices of each cluster, in order of first occurrence."""
    if set(clusters) <= {None}:
        return [[place] for place in range(len(clusters))]
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, cluster in enumerate(clusters):
        places[(place,) if cluster is None else (cluster, "")].append(place)
    return list(places.values())


def groups_of(scores: Sequence[float], clusters: Clusters | None) -> list[list[int]]:
    """Return the indices of each cluster; without clusters each score is one. Raises ValueError for other lengths."""
    keys = [None] * len(scores) if clusters is None else clusters
    if len(keys) != len(scores):
        raise ValueError(f"expected a cluster for each of {len(scores)} scores, got {len(keys)}")
    return partition(keys)


def variance(deviations: Sequence[float], groups: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the cluster-robust variance of a mean from its scores' deviations, and its degrees of freedom.

    CR2 of R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", 2002, unbiased for independent scores; few or unequal clusters have fewer degrees of freedom. It is at
    least the variance without clusters. For a mean, CR2 multiplies the squared sum of a cluster of size s by
    1 / (1 - s / n).
    """
    n = len(deviations)
    sizes = [len(places) for places in groups]
    sums = [math.fsum(deviations[place] for place in places) for places in groups]
    clustered = (
        math.fsum(total**2 / (1 - size / n) for total, size in zip(sums, sizes, strict=True)) / n**2
    )
    plain = math.fsum(deviation**2 for deviation in deviations) / (n - 1) / n
    shares = [size**2 / (1 - size / n) for size in sizes]
    products = math.fsum(shares) ** 2 - math.fsum(share**2 for share in shares)
    return max(clustered, plain), n**2 / (sum(size**2 for size in sizes) + products / n**2)


def clustered_stderr(scores: Sequence[float], clusters: Clusters) -> float:
    """Return the clustered standard error as lmms-eval writes it into its results; NaN below two scores.

    Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), equation 4: the square root of the
    central limit theorem's variance (with n - 1) plus the products of different deviations within each cluster over
    n squared. A sum below 0, possible if a cluster's deviations cancel, counts as 0.
    """
    n, groups = len(scores), groups_of(scores, clusters)
    if n < 2:
        return math.nan
    mean = math.fsum(scores) / n
    deviations = [[scores[place] - mean for place in places] for places in groups]
    squares = math.fsum(deviation**2 for group in deviations for deviation in group)
    products = math.fsum(math.fsum(group) ** 2 for group in deviations) - squares
    return math.sqrt(max(0.0, squares / (n - 1) / n + products / n**2))


def resampled_weights(clusters: Clusters, repeats: int, seed: int) -> Iterator[NDArray[np.float64]]:
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
        drawn = (
            generator.integers(len(groups), size=(size, len(groups)))
            + len(groups) * np.arange(size)[:, None]
        )
        counts = np.bincount(drawn.ravel(), minlength=size * len(groups)).reshape(size, len(groups))
        yield counts[:, owner].astype(np.float64)
