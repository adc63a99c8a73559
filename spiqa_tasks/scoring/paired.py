"""Paired differences of two systems on the same questions: interval, p-value, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from spiqa_tasks.scoring.clustered import LEVEL, clustered_mean

POWER = 0.8


@dataclass(frozen=True)
class PairedDifference:
    """The mean difference over `n` questions, in the scores' unit; NaN where fewer than two clusters tell no spread.

    Attributes:
        n: how many questions.
        mean: of the differences.
        stderr: its standard error, clustered.
        low, high: ends of the 95% interval.
        p: two-sided p-value of a mean of 0.
        smallest: the smallest true difference that so many questions show at p < 0.05 with 80% probability.
    """

    n: int
    mean: float
    stderr: float
    low: float
    high: float
    p: float
    smallest: float


def paired_difference(differences: Sequence[float], clusters: Sequence[Hashable | None]) -> PairedDifference:
    """Return the paired t-test of `differences`, one per question, each with its question's cluster (None: its own).

    With a cluster for each question it is the plain paired t-test, which is what lmms-eval's `--baseline` computes;
    otherwise the standard error is clustered and the t distribution has one degree of freedom less than there are
    clusters. Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), sections 2.2, 4.2 and 5.
    Raises ValueError for no differences and for lists of different lengths.
    """
    found = clustered_mean(differences, clusters)
    if math.isnan(found.stderr):
        return PairedDifference(found.n, found.mean, *[math.nan] * 5)
    from scipy.stats import norm, t  # takes longer to import than all of scoring

    smallest = float(norm.ppf((1 + LEVEL) / 2) + norm.ppf(POWER)) * found.stderr
    p = float(2 * t.sf(abs(found.mean) / found.stderr, found.freedom)) if found.stderr > 0 else float(found.mean == 0)
    return PairedDifference(found.n, found.mean, found.stderr, found.low, found.high, p, smallest)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number, in the same order; NaN stays NaN and counts for none.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        corrected[place] = highest
    return corrected
