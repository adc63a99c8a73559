"""The mean that people would have given: a judge's scores of all answers, corrected by people's labels of some.

Prediction-powered inference of A. N. Angelopoulos et al. (Science 2023) with the tuned weight of A. N. Angelopoulos, J.
C. Duchi and T. Zrnic, "PPI++" (arXiv 2311.01453). `python perf calibrated` simulates how often the interval holds the
truth.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.scoring.clusters import Clusters, groups_of, partition, variance
from spiqa_tasks.scoring.intervals import effective_interval, share_interval

LEAST_LABELS = 30
"""Labels below which the errors of a judge are too few to tell their variance."""
_ADDED = 0.25
"""Squared error added to those observed: half an error of the largest size, which few labels may have missed."""


@dataclass(frozen=True)
class Calibrated:
    """The corrected mean of `n` answers, `labelled` of them by people, with its 95% interval (None if withheld).

    `weight` is that of the judge's scores, 0 to 1: at 0 they add nothing, and the value is the mean of the labels.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    labelled: int
    weight: float


def calibrated_mean(
    scores: Sequence[float], labels: Sequence[float | None], clusters: Clusters | None = None
) -> Calibrated:
    """Return the mean of people's labels over all answers, of which the labelled ones are a random sample.

    Scores and labels are in [0, 1], None where there is no label; at least two answers have one.
    """
    known = [place for place, label in enumerate(labels) if label is not None]
    rest = [place for place, label in enumerate(labels) if label is None]
    n, groups = len(known), groups_of(scores, clusters)
    keys = {place: (number,) for number, places in enumerate(groups) for place in places}
    labelled_keys = [keys[place] for place in known]
    people = [labels[place] or 0.0 for place in known]
    weight = _weight(people, [scores[place] for place in known], [scores[place] for place in rest])
    if not weight:
        found = share_interval(people, labelled_keys)
        return Calibrated(statistics.fmean(people), found.low, found.high, len(scores), n, 0.0)
    terms = {place: weight * scores[place] for place in rest}
    terms |= {
        place: label - weight * scores[place] for place, label in zip(known, people, strict=True)
    }
    value = min(
        max(sum(statistics.fmean(terms[place] for place in part) for part in (known, rest)), 0.0),
        1.0,
    )
    deviations = _deviations(terms, known, len(scores)) | _deviations(terms, rest, len(scores))
    of_labels = partition(labelled_keys)
    if len(of_labels) < 2:
        return Calibrated(value, None, None, len(scores), n, weight)
    _, freedom = variance([deviations[place] for place in known], of_labels)
    squared, _ = variance([deviations[place] for place in range(len(scores))], groups)
    inside = min(
        max(value, 0.5 / n), 1 - 0.5 / n
    )  # at 0 and 1 themselves no number of scores has that variance
    ends = effective_interval(inside, squared + _ADDED / n / (n - 1), freedom, n)
    return Calibrated(
        value, min(value, ends.low or 0.0), max(value, ends.high or 0.0), len(scores), n, weight
    )


def _weight(people: Sequence[float], judged: Sequence[float], others: Sequence[float]) -> float:
    """Return the weight of least variance, or 0 if the judge's scores do not rise with the labels."""
    if len(others) < 2 or not (spread := statistics.variance([*judged, *others])):
        return 0.0
    best = statistics.covariance(people, judged) / spread / (1 + len(people) / len(others))
    return min(max(best, 0.0), 1.0)


def _deviations(terms: Mapping[int, float], part: Sequence[int], n: int) -> dict[int, float]:
    """Return the deviations from a part's mean, as large as makes their mean over all `n` that of the part."""
    mean, factor = (
        statistics.fmean(terms[place] for place in part),
        n / math.sqrt(len(part) * (len(part) - 1)),
    )
    return {place: factor * (terms[place] - mean) for place in part}
