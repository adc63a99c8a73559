"""Statistics of scores in clusters: the variance of their mean, and a bootstrap of clusters.

A cluster is a set of questions that are not independent, such as those about one paper.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The cluster key of each score, such as a paper id; a score with None is alone in its cluster.
Clusters = Sequence[Hashable | None]


def partition(clusters: Clusters) -> list[list[int]]:
    """Return the indices of each cluster, in order of first occurrence."""
    members = defaultdict(list)
    for index, cluster in enumerate(clusters):
        # The tuples differ in length, as a cluster key may itself be a number.
        key = (index,) if cluster is None else (cluster, "")
        members[key].append(index)
    return list(members.values())


def groups_of(scores: Sequence[float], clusters: Clusters | None) -> list[list[int]]:
    """Return the indices of each cluster; each score is a cluster if `clusters` is None.

    Raises ValueError for lists of different lengths.
    """
    keys = [None] * len(scores) if clusters is None else clusters
    if len(keys) != len(scores):
        raise ValueError(f"expected a cluster for each of {len(scores)} scores, got {len(keys)}")
    return partition(keys)


def variance(deviations: Sequence[float], groups: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the cluster-robust variance of a mean, and its degrees of freedom.

    `deviations` are scores minus their mean, `groups` the indices of each cluster. The estimator is
    CR2 of R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression
    with multi-stage samples", 2002, unbiased for independent scores. It is at least the variance
    without clusters.
    """
    n = len(deviations)
    # For a mean, CR2 multiplies the squared sum of a cluster of size s by 1 / (1 - s / n).
    clustered = math.fsum(
        math.fsum(deviations[index] for index in members) ** 2 / (1 - len(members) / n)
        for members in groups
    )
    independent = math.fsum(deviation**2 for deviation in deviations) * n / (n - 1)
    return max(clustered, independent) / n**2, _degrees_of_freedom([len(each) for each in groups])


def design_effect(
    deviations: Sequence[float], groups: Sequence[Sequence[int]], size: float
) -> tuple[float, float]:
    """Return the cluster-robust variance over that of independent scores, and degrees of freedom.

    Source of the ratio: L. Kish, "Survey Sampling", 1965. If all deviations are 0, the ratio is 0 /
    0, and rounding errors if they are tiny. So a pseudo-cluster is added, in which every score
    deviates by `size`. It is as large as the cluster of the average score, so that the effect of
    deviations that are all 0 is that cluster's size: each cluster counts as one score.
    """
    n = len(deviations)
    robust, freedom = variance(deviations, groups)
    independent = math.fsum(deviation**2 for deviation in deviations) * n / (n - 1)
    average = sum(len(members) ** 2 for members in groups) / n
    return (robust * n**2 + average * size**2) / (independent + size**2), freedom


def _degrees_of_freedom(sizes: Sequence[int]) -> float:
    """Return Bell and McCaffrey's degrees of freedom; few or unequal clusters have fewer."""
    n = sum(sizes)
    shares = [size**2 / (1 - size / n) for size in sizes]
    products = math.fsum(shares) ** 2 - math.fsum(share**2 for share in shares)
    return n**2 / (sum(size**2 for size in sizes) + products / n**2)


def resampled_weights(clusters: Clusters, repeats: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield bootstrap weights, for statistics other than means; nothing for a single cluster.

    Each of the `repeats` arrays has a weight for each score: how often its cluster was drawn.
    """
    import numpy as np

    groups = partition(clusters)
    if len(groups) < 2:
        return

    group_of_score = np.empty(len(clusters), dtype=np.intp)
    for number, members in enumerate(groups):
        group_of_score[members] = number

    generator = np.random.default_rng(seed)
    for _ in range(repeats):
        drawn = generator.integers(len(groups), size=len(groups))
        yield np.bincount(drawn, minlength=len(groups))[group_of_score]
