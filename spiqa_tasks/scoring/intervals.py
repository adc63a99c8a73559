"""95% intervals of means of per-question scores and of differences between two runs.

They rest on the cluster-robust variance of `clusters.variance`, and none has a width of 0. `python perf intervals`
simulates how often they contain the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.scoring.clusters import Clusters, groups_of, variance

LEVEL = 0.95
POWER = 0.8
"""Power of the smallest detectable difference, the usual convention."""
LEAST = 20
"""Degrees of freedom, and questions with other scores, from which on a sample tells its own smallest difference."""
NORMAL = 1.959963984540054
"""The normal distribution's quantile of a 95% interval."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval; None where withheld."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Interval:
    """The ends of a 95% interval, or None for both and the `reason`."""

    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True)
class Paired:
    """The mean of the second run's score minus the first's over `n` questions, with its 95% interval.

    `p` is the two-sided p-value of a true difference of 0, `smallest` the smallest true difference that is found at
    p < 0.05 with 80% probability (None below 20 clusters or 20 questions with different scores, and if not even the
    largest possible one is found), `reason` why interval, p and smallest are None.
    """

    n: int
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    smallest: float | None = None
    reason: str = ""


def share_interval(scores: Sequence[float], clusters: Clusters | None = None) -> Interval:
    """Return the interval of the mean of scores in [0, 1]; withheld for a single cluster of several scores.

    Scores of 0 and 1 without clusters have Wilson's interval (E. B. Wilson, 1927), others Wilson's at the effective
    number of scores, mean (1 - mean) / variance, with the quantile of the t distribution; where all scores are equal,
    that number is the clusters'. Raises ValueError for a score outside [0, 1] and for lists of different lengths.
    """
    n, groups = len(scores), groups_of(scores, clusters)
    if n and (min(scores) < 0 or max(scores) > 1):
        raise ValueError(f"expected scores from 0 to 1, got {min(scores)} to {max(scores)}")
    if n and len(groups) == n and set(scores) <= {0.0, 1.0}:
        return wilson(math.fsum(scores) / n, n)
    if why := _too_few(groups):
        return Interval(None, None, why)
    return effective_interval(*_spread(scores, groups), len(groups))


def effective_interval(value: float, squared: float, freedom: float, least: float) -> Interval:
    """Return Wilson's interval of a statistic in [0, 1] at its effective number of scores.

    `squared` is its variance with the degrees of `freedom`; `least` the number of scores where the variance is 0.
    """
    effective = value * (1 - value) / squared if squared > 0 else least
    return wilson(value, effective, _t_quantile(freedom))


def mean_interval(scores: Sequence[float], clusters: Clusters | None = None) -> Interval:
    """Return the interval of the mean of scores >= 0: `share_interval` up to 1, else (CIDEr) that of t, cut at 0."""
    if not scores or max(scores) <= 1:
        return share_interval(scores, clusters)
    groups = groups_of(scores, clusters)
    if why := _too_few(groups):
        return Interval(None, None, why)
    mean, squared, freedom = _spread(scores, groups)
    if squared == 0:
        return Interval(None, None, "all scores are equal")
    margin = _t_quantile(freedom) * math.sqrt(squared)
    return Interval(max(0.0, mean - margin), mean + margin)


def wilson(share: float, n: float, quantile: float = NORMAL) -> Interval:
    """Return Wilson's interval of a share of `n` scores, which need not be whole (an effective number)."""
    spread = quantile**2 / n
    centre = (share + spread / 2) / (1 + spread)
    margin = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return Interval(max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin)))


def paired(a: Sequence[float], b: Sequence[float], clusters: Clusters | None = None) -> Paired:
    """Return the mean of b - a over the same questions with its interval and test.

    Two differences of the largest size, one for each side, are added to those observed, as in D. G. Bonett and R. M.
    Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data", 2012: the
    variance of a handful of differences, or of none, says too little. The quantile is that of the t distribution.
    Everything but the difference is withheld for a single cluster of several questions. Raises ValueError for no
    scores and for lists of different lengths.
    """
    if not a or len(a) != len(b):
        raise ValueError(f"expected scores of the same questions, got {len(a)} and {len(b)}")
    differences = [later - earlier for earlier, later in zip(a, b, strict=True)]
    n, groups = len(differences), groups_of(differences, clusters)
    value = math.fsum(differences) / n
    if why := _too_few(groups):
        return Paired(n, value, reason=why)
    from scipy.special import stdtr  # takes longer to import than all of scoring

    size = _largest_size(a, b, differences)
    mean = n * value / (n + 2)
    added = 2 * (size**2 + mean**2)
    clustered, freedom = variance([difference - mean for difference in differences], groups)
    observed = math.fsum(difference**2 for difference in differences)
    second = (observed + 2 * size**2) / (n + 2)
    squared = max((clustered * n**2 + added) / (n + 2) ** 2, (second - mean**2) / (n + 1))
    margin = _t_quantile(freedom) * math.sqrt(squared)
    bound = 1.0 if max(*a, *b) <= 1 and min(*a, *b) >= 0 else math.inf
    smallest = None
    if freedom >= LEAST and observed >= LEAST * size**2:
        smallest = _smallest(n, size, second, squared / (second - mean**2), freedom)
    return Paired(
        n,
        value,
        max(-bound, min(value, mean - margin)),
        min(bound, max(value, mean + margin)),
        float(2 * stdtr(freedom, -abs(mean) / math.sqrt(squared))),
        smallest if smallest is not None and smallest <= bound else None,
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values corrected for their number, in the same order; None stays None and is not counted.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        corrected[place] = highest
    return corrected


def _too_few(groups: Sequence[Sequence[int]]) -> str:
    return "" if len(groups) > 1 else "all questions are of one cluster" if groups else "no scores"


def _spread(scores: Sequence[float], groups: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """Return mean, variance of the mean, and its degrees of freedom."""
    mean = math.fsum(scores) / len(scores)
    return mean, *variance([score - mean for score in scores], groups)


def _largest_size(a: Sequence[float], b: Sequence[float], differences: Sequence[float]) -> float:
    """Return the size of a large difference: 1 for scores of 0 and 1.

    Otherwise the larger of the differences and of each run's deviations from its mean, by the root of the fourth over
    the second moment: about 1 for L3Scores, which are mostly near 0 or 1, and about 0.3 for METEOR.
    """
    if {*a, *b} <= {0.0, 1.0}:
        return 1.0
    means = [math.fsum(scores) / len(scores) for scores in (a, b)]
    spreads = [
        differences,
        *([score - mean for score in scores] for scores, mean in zip((a, b), means, strict=True)),
    ]
    moments = [
        (math.fsum(x**4 for x in spread), math.fsum(x**2 for x in spread)) for spread in spreads
    ]
    return (
        max((math.sqrt(fourth / second) for fourth, second in moments if fourth > 0), default=0.0)
        or 1.0
    )


def _smallest(n: int, size: float, second: float, factor: float, freedom: float) -> float:
    """Return the smallest true difference found with 80% probability.

    `second` is the second moment of the n + 2 differences, `factor` the variance of their mean for each unit of
    variance. A true difference of d needs a second moment of at least d * `size`, so a larger one than was observed
    makes the variance larger, too: both conditions are quadratic in the mean.
    """
    from scipy.special import nctdtrinc

    needed = float(nctdtrinc(freedom, 1 - POWER, _t_quantile(freedom))) ** 2 * factor
    mean = math.sqrt(needed * second / (1 + needed))
    added = 2 * size**2 / (n + 2)
    if mean * size > second - added:
        mean = (
            needed * size + math.sqrt((needed * size) ** 2 + 4 * (1 + needed) * needed * added)
        ) / (2 * (1 + needed))
    return mean * (n + 2) / n


def _t_quantile(freedom: float) -> float:
    from scipy.special import stdtrit  # takes longer to import than all of scoring

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
