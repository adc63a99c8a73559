"""95% intervals of means of per-question scores and of differences between two runs.

An interval is never a point, even if all scores are equal or lie close to 0 or 1. `python perf
intervals` simulates how often the intervals contain the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from spiqa_tasks.scoring.clusters import Clusters, design_effect, groups_of, variance

# The usual conventions of reports: 95% intervals, differences found with 80% probability.
LEVEL = 0.95
POWER = 0.8

# The normal distribution's quantile of a 95% interval.
NORMAL = 1.959963984540054

# Least degrees of freedom, and least number of questions on which two runs differ, for
# `Paired.smallest`. With fewer the variance of the difference is known too badly to predict what
# another sample would show.
LEAST = 20

# Least degrees of freedom per cluster, for the same. If a few large clusters hold most questions,
# there are fewer, and the power at `smallest` was simulated as 67 to 84% instead of 80%.
LEAST_FREEDOM_PER_CLUSTER = 0.5


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval; `low` and `high` are None if the interval is withheld."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Interval:
    """A 95% interval; if it is withheld, `low` and `high` are None and `reason` says why."""

    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True)
class Paired:
    """The mean difference of two runs over `n` questions (second minus first), and its interval.

    Attributes:
        p: two-sided p-value of the hypothesis that the true difference is 0.
        smallest: smallest true difference that a comparison of this size finds (p < 0.05) with a
            probability of about 80%; None if the sample is too small or its clusters too uneven.
        reason: why `low`, `high` and `p` are None.
    """

    n: int
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    smallest: float | None = None
    reason: str = ""


def share_interval(scores: Sequence[float], clusters: Clusters | None = None) -> Interval:
    """Return the interval of the mean of scores in [0, 1]; withheld for a single cluster.

    For scores of 0 and 1 without clusters it is Wilson's interval (E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", 1927). For others it is Wilson's
    for `effective_number` scores, with the quantile of the t distribution. Raises ValueError for
    scores outside [0, 1] and for lists of different lengths.
    """
    n = len(scores)
    groups = groups_of(scores, clusters)
    if not _are_shares(scores):
        raise ValueError(f"expected scores from 0 to 1, got {min(scores)} to {max(scores)}")

    is_binomial = len(groups) == n and set(scores) <= {0.0, 1.0}
    if n and is_binomial:
        return wilson(fmean(scores), n)

    if reason := _too_few(groups):
        return Interval(None, None, reason)

    effective, freedom = effective_number(scores, groups)
    return wilson(fmean(scores), effective, _t_quantile(freedom))


def effective_number(
    scores: Sequence[float], groups: Sequence[Sequence[int]]
) -> tuple[float, float]:
    """Return how many independent 0/1 scores have an equally certain mean, and its degrees of
    freedom.

    Scores between 0 and 1 vary less than 0/1 scores with the same mean, which raises the number by
    the ratio of the two variances. Scores of one cluster resemble each other, which lowers it by
    the design effect.

    If all scores lie close to 1, low ones may still exist and be absent from a small sample. So two
    pseudo-scores, 0 and 1, enter the ratio, as A. Agresti and B. A. Coull, "Approximate is better
    than 'exact' for interval estimation of binomial proportions", 1998, add them to binary scores.
    """
    n = len(scores)
    squares = math.fsum(score**2 for score in scores)
    pseudo_mean = (math.fsum(scores) + 1) / (n + 2)
    pseudo_variance = (squares + 1) / (n + 2) - pseudo_mean**2
    ratio = pseudo_mean * (1 - pseudo_mean) / pseudo_variance

    mean = fmean(scores)
    # A score of 0 to 1 deviates from the mean by at most 1.
    effect, freedom = design_effect([score - mean for score in scores], groups, size=1)
    return n * ratio / effect, freedom


def mean_interval(scores: Sequence[float], clusters: Clusters | None = None) -> Interval:
    """Return `share_interval` of scores from 0 to 1, `t_interval` of others."""
    of_scores = share_interval if _are_shares(scores) else t_interval
    return of_scores(scores, clusters)


def t_interval(scores: Sequence[float], clusters: Clusters | None = None) -> Interval:
    """Return the interval of the mean by the t distribution; withheld for a single cluster.

    It is for scores that may be above 1 (CIDEr), and is cut at 0 unless some are below.
    """
    groups = groups_of(scores, clusters)
    if reason := _too_few(groups):
        return Interval(None, None, reason)

    mean = fmean(scores)
    squared, freedom = variance([score - mean for score in scores], groups)
    if squared == 0:
        return Interval(None, None, "all scores are equal")

    margin = _t_quantile(freedom) * math.sqrt(squared)
    bound = 0.0 if min(scores) >= 0 else -math.inf
    return Interval(max(bound, mean - margin), mean + margin)


def wilson(share: float, n: float, quantile: float = NORMAL) -> Interval:
    """Return Wilson's interval of a share of `n` scores; an effective number may be fractional."""
    spread = quantile**2 / n
    centre = (share + spread / 2) / (1 + spread)
    margin = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)

    # Rounding must not leave the share itself outside.
    low = max(0.0, min(share, centre - margin))
    high = min(1.0, max(share, centre + margin))
    return Interval(low, high)


def paired(a: Sequence[float], b: Sequence[float], clusters: Clusters | None = None) -> Paired:
    """Return the mean of b - a over the same questions with its interval and test.

    A handful of differences says too little about their variance. So two pseudo-differences of the
    usual size, one in each direction, are added, as in D. G. Bonett and R. M. Price, "Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data", 2012. The
    quantile is that of the t distribution. The interval of a single cluster is withheld. Raises
    ValueError for no scores and for lists of different lengths.
    """
    if not a or len(a) != len(b):
        raise ValueError(f"expected scores of the same questions, got {len(a)} and {len(b)}")

    differences = [second - first for first, second in zip(a, b, strict=True)]
    n = len(differences)
    groups = groups_of(differences, clusters)
    value = fmean(differences)
    if reason := _too_few(groups):
        return Paired(n, value, reason=reason)

    size = usual_size([*a, *b])
    mean = n * value / (n + 2)
    squared, freedom = _adjusted_variance(differences, groups, mean, size)
    error = math.sqrt(squared)
    margin = _t_quantile(freedom) * error
    bound = 1.0 if _are_shares([*a, *b]) else math.inf

    smallest = None
    is_even = freedom >= max(LEAST, LEAST_FREEDOM_PER_CLUSTER * len(groups))
    if is_even and _shows_variance(differences):
        smallest = _detectable(error, freedom) * (n + 2) / n

    return Paired(
        n,
        value,
        low=max(-bound, min(value, mean - margin)),
        high=min(bound, max(value, mean + margin)),
        p=_p_value(mean / error, freedom),
        smallest=smallest,
    )


def usual_size(scores: Sequence[float]) -> float:
    """Return the usual size of a difference between two scores that differ.

    For example 1 for scores of 0 and 1, about 1 for L3Scores, 0.3 for METEOR. It is the root of the
    ratio of the fourth and the second moment of the differences between all scores. Two
    pseudo-scores, 0 and 1, are added to scores in [0, 1], as in `effective_number`.
    """
    if _are_shares(scores):
        scores = [*scores, 0.0, 1.0]
    mean = fmean(scores)
    second = fmean([(score - mean) ** 2 for score in scores])
    fourth = fmean([(score - mean) ** 4 for score in scores])

    # Of the differences of two independent scores, the second moment is twice the scores' own,
    # and the fourth is 2 fourth + 6 second ** 2.
    return math.sqrt(fourth / second + 3 * second) if second > 0 else 1.0


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values corrected for multiple tests, in the same order; a None stays None.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    ascending = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(ascending):
        # A corrected value is never below that of a smaller p-value.
        highest = max(highest, min(1.0, p * (len(ascending) - rank)))
        corrected[index] = highest
    return corrected


def _are_shares(scores: Sequence[float]) -> bool:
    """Return whether all scores are from 0 to 1."""
    return all(0 <= score <= 1 for score in scores)


def _too_few(groups: Sequence[Sequence[int]]) -> str:
    """Return why there is no interval, or ''."""
    if not groups:
        return "no scores"
    return "all questions are of one cluster" if len(groups) == 1 else ""


def _adjusted_variance(
    differences: Sequence[float], groups: Sequence[Sequence[int]], mean: float, size: float
) -> tuple[float, float]:
    """Return the variance of the mean with two pseudo-differences, and its degrees of freedom."""
    n = len(differences)
    deviations = [difference - mean for difference in differences]
    squares = math.fsum(deviation**2 for deviation in deviations) + 2 * (size**2 + mean**2)
    independent = squares / (n + 2) / (n + 1)

    effect, freedom = design_effect(deviations, groups, size)
    return independent * effect, freedom


def _shows_variance(differences: Sequence[float]) -> bool:
    """Return whether at least `LEAST` questions differ, by their effective number.

    The effective number is the squared sum of the squared differences over the sum of their
    squares (L. Kish, "Survey Sampling", 1965). It is the number of differences that are not 0 if
    all are of one size; small ones hardly count if there are large ones.
    """
    squares = [difference**2 for difference in differences]
    total = math.fsum(squares)
    return total > 0 and total**2 >= LEAST * math.fsum(square**2 for square in squares)


def _detectable(error: float, freedom: float) -> float:
    """Return the true mean found with probability `POWER`, by the noncentral t distribution."""
    # Imported here: scipy takes longer to import than all of scoring.
    from scipy.special import nctdtrinc

    return float(nctdtrinc(freedom, 1 - POWER, _t_quantile(freedom))) * error


def _p_value(statistic: float, freedom: float) -> float:
    """Return the two-sided p-value of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def _t_quantile(freedom: float) -> float:
    """Return the quantile of Student's t that bounds the interval."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
