"""When a mean is withheld: failures are not a random sample, so a number over too few of its answers misleads."""

from __future__ import annotations

import math
from collections.abc import Sequence

MINIMUM_SCORED = 0.99
"""Least share of the answers that must have a score."""


def mean_or_nan(scores: Sequence[float | None]) -> float:
    """Return the mean of the scores that are there; None stands for an answer without one.

    Returns:
        The mean, or NaN when there are no scores or fewer than 99% of the answers have one.
    """
    scored = [score for score in scores if score is not None]
    if not scored or len(scored) < MINIMUM_SCORED * len(scores):
        return math.nan
    return sum(scored) / len(scored)
