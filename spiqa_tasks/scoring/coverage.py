"""The rule of coverage: a number over too few answers is withheld, as missing ones are not a random sample."""

import math
from collections.abc import Sequence

MINIMUM_SHARE = 0.99
"""Share of questions with an answer, and of answers with a score, below which numbers are withheld."""


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` of `total` suffice for a number: at least one, and `MINIMUM_SHARE`."""
    return known > 0 and known >= MINIMUM_SHARE * total


def too_few(known: int, total: int, what: str) -> str:
    """Return why a number over `known` of `total` is withheld, or '' if they suffice; `what` is said of the known."""
    return "" if is_covered(known, total) else f"{known} of {total} {what}, fewer than {100 * MINIMUM_SHARE:g}%"


def mean_or_nan(scores: Sequence[float | None]) -> float:
    """Return the mean of the scores that are not None; NaN if they are too few."""
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if is_covered(len(known), len(scores)) else math.nan
