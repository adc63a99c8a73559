"""When a number is withheld: what is missing is not a random sample, so a number over too little of a task misleads."""

from __future__ import annotations

import math
from collections.abc import Sequence

MINIMUM_SHARE = 0.99
"""Least share of the questions that must have an answer, and of the answers that must have a score."""


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` of `total` are enough for a number: at least one, and at least 99%."""
    return known > 0 and known >= MINIMUM_SHARE * total


def mean_or_nan(scores: Sequence[float | None]) -> float:
    """Return the mean of the scores, None standing for an answer without one; NaN where too few have one."""
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if is_covered(len(known), len(scores)) else math.nan
