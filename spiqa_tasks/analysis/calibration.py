"""Agreement of a judge's scores with people's verdicts on the same answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from spiqa_tasks.runs.labels import Labelled
from spiqa_tasks.scoring.clusters import resampled_weights
from spiqa_tasks.scoring.intervals import Estimate, share_interval

# A score above it says yes: L3Score is the judge's probability of yes.
THRESHOLD = 0.5

# Enough that the ends of a 95% interval, each with 25 resamples beyond it, hardly vary.
RESAMPLES = 1000

# The same labels and scores have the same interval each time.
SEED = 0


@dataclass(frozen=True)
class Agreement:
    """Agreement over `n` answers: the share of equal verdicts, Cohen's kappa and the AUROC."""

    n: int
    agreement: Estimate
    kappa: Estimate
    auroc: Estimate


def agreement(answers: Sequence[Labelled], scores: Sequence[float]) -> Agreement:
    """Return the agreement of scores in [0, 1] with the labels; a question is a cluster."""
    labels = np.array([answer.label for answer in answers])
    values = np.array(scores)
    verdicts = values > THRESHOLD
    clusters = [answer.candidate.question for answer in answers]

    equal = (verdicts == labels).astype(float)
    interval = share_interval(equal.tolist(), clusters)

    return Agreement(
        n=len(labels),
        agreement=Estimate(float(equal.mean()), interval.low, interval.high),
        kappa=_bootstrapped(cohen_kappa_score, labels, verdicts, clusters),
        auroc=_bootstrapped(roc_auc_score, labels, values, clusters),
    )


def _bootstrapped(
    statistic: Callable[..., float], labels: Any, values: Any, clusters: Sequence[str]
) -> Estimate:
    """Return a statistic with the middle 95% of its values in resamples of whole clusters.

    NaN if all labels are equal, where neither kappa nor AUROC is defined; without an interval if
    the resamples do not differ.
    """
    if len(set(labels)) < 2:
        return Estimate(float("nan"))

    resampled = []
    for block in resampled_weights(clusters, RESAMPLES, SEED):
        for weights in block:
            drawn = weights > 0
            if len(set(labels[drawn])) < 2:
                continue
            value = statistic(labels[drawn], values[drawn], sample_weight=weights[drawn])
            resampled.append(value)

    value = float(statistic(labels, values))
    if len(set(resampled)) < 2:
        return Estimate(value)

    low, high = np.quantile(resampled, (0.025, 0.975))
    return Estimate(value, float(low), float(high))
