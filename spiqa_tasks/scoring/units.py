"""Numbers for people and for JSON."""

from __future__ import annotations

import math
from typing import Any


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal, or "-" for None."""
    return "-" if value is None else f"{100 * value:.1f}"


def without_nan(value: Any) -> Any:
    """Return a value, or nested lists, tuples and dicts of values, with None for NaN, which JSON lacks."""
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
