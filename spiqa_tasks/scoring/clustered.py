"""Standard errors of means over questions that share something, such as a paper."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence


def clustered_stderr(scores: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the standard error of the mean of `scores`, those of one cluster being correlated; NaN below two scores.

    Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), equation 4: the square root of the
    central limit theorem's variance (with n - 1) plus the products of different deviations within each cluster over
    n squared. A sum below 0, possible where a cluster's deviations cancel, counts as 0. With a cluster for each score
    it is the plain standard error. Raises ValueError for lists of different lengths.
    """
    n = len(scores)
    if len(clusters) != n:
        raise ValueError(f"expected a cluster for each of {n} scores, got {len(clusters)}")
    if n < 2:
        return math.nan
    mean = math.fsum(scores) / n
    deviations: dict[Hashable, list[float]] = defaultdict(list)
    for score, cluster in zip(scores, clusters, strict=True):
        deviations[cluster].append(score - mean)
    squares = math.fsum(deviation**2 for group in deviations.values() for deviation in group)
    products = math.fsum(math.fsum(group) ** 2 for group in deviations.values()) - squares
    return math.sqrt(max(0.0, squares / (n - 1) / n + products / n**2))
