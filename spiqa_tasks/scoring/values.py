"""Values as people and files get them: withheld over too few answers, printed as percent."""

import math
from typing import Any

# Below this share of questions with an answer, and of answers with a score, a value is withheld:
# missing ones are no random sample.
MINIMUM_SHARE = 0.99


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` of `total` suffice for a value: at least one, and `MINIMUM_SHARE`."""
    return known > 0 and known >= MINIMUM_SHARE * total


def too_few(known: int, total: int, what: str) -> str:
    """Return why a value over `known` of `total` is withheld, or '' if they suffice.

    `what` says what the known ones are, such as "answers have a score".
    """
    if is_covered(known, total):
        return ""
    return f"{known} of {total} {what}, fewer than {100 * MINIMUM_SHARE:g}%"


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal; a dash for None."""
    # adding 0 makes a rounded -0.0 a 0.0
    return "-" if value is None else f"{round(100 * value, 1) + 0:.1f}"


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Return a value times 100 with its interval; a dash for None and NaN."""
    if value is None or math.isnan(value):
        return "-"
    if low is None or high is None:
        return percent(value)
    return f"{percent(value)} [{percent(low)}, {percent(high)}]"


def plain(value: float | None) -> str:
    """Return a number with three decimals; a dash for None and NaN."""
    return "-" if value is None or math.isnan(value) else f"{value:.3f}"


def p_value(p: float | None) -> str:
    """Return a p-value with three decimals, never 0; a dash for None and NaN."""
    return "< 0.001" if p is not None and p < 0.001 else plain(p)


def without_nan(value: Any) -> Any:
    """Return a value, or lists, tuples and dicts of them, with None for what JSON lacks: NaN and
    infinities.
    """
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(each) for each in value]
    is_missing = isinstance(value, float) and not math.isfinite(value)
    return None if is_missing else value
