"""When a mean is told: failures are not a random sample, so a mean over too few of its answers is withheld."""

from __future__ import annotations

import math
from collections.abc import Sequence

MINIMUM_SCORED = 0.99
"""The share of answers that must have a score."""


def mean_or_nan(scores: Sequence[float | None]) -> float:
    """Return the mean of the scores that are there; NaN where there is none, or fewer than 99% are."""
    known = [score for score in scores if score is not None]
    if not known or len(known) < MINIMUM_SCORED * len(scores):
        return math.nan
    return sum(known) / len(known)
