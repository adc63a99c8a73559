"""Numbers as texts for people, and as JSON has them."""

import math
from typing import Any

from spiqa_tasks.scoring.intervals import Estimate


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal; a dash for None."""
    return "-" if value is None else f"{100 * value:.1f}"


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Return a value times 100 with its interval; a dash for None and NaN."""
    if value is None or math.isnan(value):
        return "-"
    interval = "" if low is None or high is None else f" [{percent(low)}, {percent(high)}]"
    return percent(value) + interval


def estimated(estimate: Estimate | None) -> str:
    """Return an estimate times 100 with its interval; a dash for None."""
    return "-" if estimate is None else number(estimate.value, estimate.low, estimate.high)


def plain(value: float | None) -> str:
    """Return a number with three decimals; a dash for None and NaN."""
    return "-" if value is None or math.isnan(value) else f"{value:.3f}"


def p_value(p: float | None) -> str:
    """Return a p-value with three decimals, never 0; a dash for None and NaN."""
    return "< 0.001" if p is not None and p < 0.001 else plain(p)


def without_nan(value: Any) -> Any:
    """Return a value, or lists, tuples and dicts of them, with None for NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
