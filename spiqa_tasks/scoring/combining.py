"""Combine the scores of several judges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

Combination = Literal["mean", "majority"]
COMBINATIONS: tuple[Combination, ...] = get_args(Combination)
THRESHOLD = 0.5


def combined(scores: Sequence[float | None], how: Combination) -> float | None:
    """Return the combined score of an answer in [0, 1], or None if a judge has none.

    `mean` is the mean of the scores; `majority` is 1 if more say yes (above 0.5) than no, 0 if fewer, 0.5 if equal.
    Raises ValueError for no scores.
    """
    if not scores:
        raise ValueError("expected at least one score, got none")
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return None
    if how == "mean":
        return math.fsum(known) / len(known)
    ayes = sum(score > THRESHOLD for score in known)
    return 0.5 if 2 * ayes == len(known) else float(2 * ayes > len(known))


def spread(scores: Sequence[float | None]) -> float:
    """Return the range of an answer's scores in [0, 1]; 0 for fewer than two."""
    known = [score for score in scores if score is not None]
    return max(known) - min(known) if known else 0.0
