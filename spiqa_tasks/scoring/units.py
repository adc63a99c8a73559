"""Numbers as people read them."""

from __future__ import annotations


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal, or `-` where there is none."""
    return "-" if value is None else f"{100 * value:.1f}"
