"""Agreement of a judge's scores with people's verdicts on the same answers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.clusters import Clusters, resampled_weights
from spiqa_tasks.scoring.intervals import Estimate, mean_interval

THRESHOLD = 0.5
"""A score above it says yes."""

RESAMPLES = 1000
"""Enough that the ends of a 95% interval, each with 25 resamples beyond it, hardly vary."""

SEED = 0


@dataclass(frozen=True)
class Agreement:
    """Agreement over `n` answers: the share of equal verdicts, Cohen's kappa and the AUROC."""

    n: int
    agreement: Estimate
    kappa: Estimate
    auroc: Estimate


def agreement(answers: Sequence[Labelled], scores: Sequence[float]) -> Agreement:
    """Return the agreement of scores in [0, 1] with the labels of the answers."""
    labels = np.array([answer.label for answer in answers])
    values = np.array(scores)
    verdicts = values > THRESHOLD
    clusters = [answer.candidate.question for answer in answers]

    equal = (verdicts == labels).astype(float)
    interval = mean_interval(equal.tolist(), _shared(clusters))
    share = Estimate(float(equal.mean()), interval.low, interval.high)

    kappa = _bootstrapped(cohen_kappa_score, labels, verdicts, clusters)
    auroc = _bootstrapped(roc_auc_score, labels, values, clusters)
    return Agreement(len(labels), share, kappa, auroc)


def _shared(clusters: Sequence[str]) -> Clusters:
    """Return the clusters with None for those of one answer."""
    counts = Counter(clusters)
    return [cluster if counts[cluster] > 1 else None for cluster in clusters]


def _bootstrapped(
    statistic: Callable[..., float], labels: Any, values: Any, clusters: Sequence[str]
) -> Estimate:
    """Return a statistic with the middle 95% of its values in resamples of whole clusters.

    Without an interval if the resamples do not differ, and NaN if all labels are equal: neither
    kappa nor AUROC is defined then. Resamples of equal labels do not count.
    """
    if len(set(labels.tolist())) < 2:
        return Estimate(float("nan"))
    value = float(statistic(labels, values))

    drawn = []
    for weights in (row for block in resampled_weights(clusters, RESAMPLES, SEED) for row in block):
        chosen = weights > 0
        if len(set(labels[chosen].tolist())) > 1:
            sample = labels[chosen], values[chosen]
            drawn.append(float(statistic(*sample, sample_weight=weights[chosen])))

    if len(set(drawn)) < 2:
        return Estimate(value)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Estimate(value, float(low), float(high))
