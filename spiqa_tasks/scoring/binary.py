"""Agreement of scores in [0, 1] with yes/no labels: accuracy, F1, kappa, AUROC, Brier score, calibration error.

A score above the threshold says yes. Statistics take weights of shape (..., n) and return values of shape (...), so
that one bootstrap of whole clusters gives the interval of each; NaN if undefined, such as the AUROC of equal labels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spiqa_tasks.scoring.clusters import Clusters, partition, resampled_weights
from spiqa_tasks.scoring.intervals import Estimate, effective_interval, mean_interval

Array = NDArray[np.float64]

THRESHOLD = 0.5
BINS = 10
"""Bins of equal width of the calibration error: so few that each has answers in a sample of some hundreds."""
REPEATS = 1000


@dataclass(frozen=True)
class BinaryAgreement:
    """Agreement of scores with labels; accuracy, F1 of yes and Cohen's kappa are at the threshold 0.5.

    Attributes:
        best_threshold: threshold of highest accuracy on these very answers, hence optimistic.
        auroc: the probability that an answer labelled yes has a higher score than one labelled no.
        brier: mean squared difference of score and label.
        calibration_error: mean difference of score and share of yes, over bins of equal width.
    """

    n: int
    positives: int
    accuracy: Estimate
    best_threshold: float
    best_accuracy: Estimate
    f1: Estimate
    kappa: Estimate
    auroc: Estimate
    brier: Estimate
    calibration_error: Estimate


@dataclass(frozen=True)
class Bin:
    """Answers of similar scores: their number, mean score, and share labelled yes."""

    n: int
    score: float
    share: float


def binary_agreement(
    scores: Sequence[float], labels: Sequence[bool], clusters: Clusters, seed: int = 0
) -> BinaryAgreement:
    """Return the agreement of scores in [0, 1] with labels, with clustered intervals.

    Means have the interval of `intervals.mean_interval`, the others Wilson's at the effective number of answers, from
    the variance over a bootstrap of whole clusters.
    """
    values, truths = np.asarray(scores, float), np.asarray(labels, float)
    threshold = best_threshold(values, truths)
    at_threshold, at_best = (
        ((values > each) == truths).astype(float) for each in (THRESHOLD, threshold)
    )
    return BinaryAgreement(
        n=len(values),
        positives=int(truths.sum()),
        accuracy=_mean(at_threshold, clusters),
        best_threshold=threshold,
        best_accuracy=_mean(at_best, clusters),
        brier=_mean((values - truths) ** 2, clusters),
        **_bootstrapped(values, truths, clusters, seed),
    )


def f1(scores: Array, labels: Array, weights: Array) -> Array:
    """Return the F1 of yes, or NaN if neither scores nor labels say yes."""
    said = scores > THRESHOLD
    hits = weights @ (said * labels)
    return _ratio(2 * hits, weights @ said + weights @ labels)


def kappa(scores: Array, labels: Array, weights: Array) -> Array:
    """Return Cohen's kappa (J. Cohen, 1960), or NaN if agreement by chance is 1."""
    said, total = scores > THRESHOLD, weights.sum(-1)
    observed = weights @ (said == labels) / total
    first, second = weights @ said / total, weights @ labels / total
    chance = first * second + (1 - first) * (1 - second)
    return _ratio(observed - chance, 1 - chance)


def auroc(scores: Array, labels: Array, weights: Array) -> Array:
    """Return the area under the ROC curve by the Mann-Whitney statistic; ties count half."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-math.inf))
    drawn = weights[..., order]
    yes = np.add.reduceat(drawn * labels[order], starts, axis=-1)
    no = np.add.reduceat(drawn * (1 - labels[order]), starts, axis=-1)
    wins = (yes * (no.cumsum(-1) - no / 2)).sum(-1)
    return _ratio(wins, yes.sum(-1) * no.sum(-1))


def calibration_error(scores: Array, labels: Array, weights: Array) -> Array:
    """Return the expected calibration error in [0, 1] (Naeini et al., 2015), of the score as the probability of yes."""
    members = np.arange(BINS) == _bin_of(scores)[:, None]
    gaps = np.abs(weights @ (members * (scores - labels)[:, None])).sum(-1)
    return _ratio(gaps, weights.sum(-1))


def best_threshold(scores: ArrayLike, labels: ArrayLike) -> float:
    """Return the threshold of highest accuracy: 0.5 unless another is better, then the nearest to it.

    It lies half-way between two neighbouring scores; 1 says no to all, -1 yes to all.
    """
    values, truths = np.asarray(scores, float), np.asarray(labels, float)
    distinct, place = np.unique(values, return_inverse=True)
    gains = np.bincount(
        place, 1 - 2 * truths
    )  # change of right answers when these scores become no
    right = truths.sum() + np.concatenate([[0.0], gains.cumsum()])
    if ((values > THRESHOLD) == truths).sum() == right.max():
        return THRESHOLD
    between = np.minimum(
        (distinct[1:] + distinct[:-1]) / 2, np.nextafter(distinct[1:], -1)
    )  # below the upper one
    thresholds = np.concatenate([[-1.0], between, [1.0]])
    best = thresholds[right == right.max()]
    return float(best[np.abs(best - THRESHOLD).argmin()])


def reliability(scores: Sequence[float], labels: Sequence[bool]) -> list[Bin]:
    """Return the non-empty bins of the calibration error, from low to high scores."""
    values, truths = np.asarray(scores, float), np.asarray(labels, float)
    places = _bin_of(values)
    members = [places == place for place in range(BINS) if (places == place).any()]
    return [
        Bin(int(inside.sum()), float(values[inside].mean()), float(truths[inside].mean()))
        for inside in members
    ]


def _bin_of(scores: Array) -> NDArray[np.intp]:
    """Return the bin of each score; a score on an edge is in the lower bin."""
    return np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], scores)


def _bootstrapped(
    scores: Array, labels: Array, clusters: Clusters, seed: int
) -> dict[str, Estimate]:
    """Return the statistics with their intervals; resamples in which a statistic is undefined do not count.

    They rest on the rarer of the two labels: its clusters are the degrees of freedom.
    """
    blocks = list(resampled_weights(clusters, REPEATS, seed))
    groups = partition(clusters)
    rarer = min(
        sum(any(labels[place] == label for place in places) for places in groups)
        for label in (0, 1)
    )
    found = {}
    for statistic in (f1, kappa, auroc, calibration_error):
        value = float(statistic(scores, labels, np.ones(len(scores))))
        drawn = np.concatenate([[], *(statistic(scores, labels, weights) for weights in blocks)])
        low = -1 if statistic is kappa else 0
        defined = (drawn[~np.isnan(drawn)] - low) / (1 - low)
        found[statistic.__name__] = Estimate(value)
        if not math.isnan(value) and len(defined) > 1 and rarer > 1:
            share = effective_interval(
                (value - low) / (1 - low), float(defined.var()), rarer - 1, rarer
            )
            ends = [
                None if end is None else low + (1 - low) * end for end in (share.low, share.high)
            ]
            found[statistic.__name__] = Estimate(value, *ends)
    return found


def _mean(scores: Array, clusters: Clusters) -> Estimate:
    found = mean_interval(scores.tolist(), clusters)
    return Estimate(float(scores.mean()), found.low, found.high)


def _ratio(above: Array, below: Array) -> Array:
    ratio: Array = np.divide(
        above, below, out=np.full(np.shape(below), math.nan), where=np.asarray(below) != 0
    )
    return ratio
