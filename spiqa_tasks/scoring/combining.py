"""Several judges' scores of one answer as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

Combination = Literal["mean", "majority"]
COMBINATIONS: tuple[Combination, ...] = get_args(Combination)
THRESHOLD = 0.5


def combined(scores: Sequence[float | None], how: Combination) -> float | None:
    """Return the score in [0, 1] of an answer that several judges scored; None where one of them did not.

    `mean` is the mean of their scores; `majority` is 1 where more of them say yes (above 0.5) than no, 0 where fewer
    do, and 0.5 where as many do. Raises ValueError for no scores.
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
    """Return how far the scores of one answer lie apart, in [0, 1]; 0 for fewer than two."""
    known = [score for score in scores if score is not None]
    return max(known) - min(known) if known else 0.0
