"""Whether a model finds a figure helpful (the first of the two prompts for one figure; released open-model scripts)."""

from __future__ import annotations

import re

_VERDICT = re.compile(r"\b(?:(yes|yeah)|(no|not))\b", re.IGNORECASE)


def parse_helpful(reply: str) -> bool | None:
    """Return whether the reply says yes: its first word among yes, yeah, no and not; None where it has none of them."""
    found = _VERDICT.search(reply)
    return None if found is None else found[1] is not None


def is_helpful_released(reply: str) -> bool:
    """Return the verdict of the released rule: helpful unless "no" occurs anywhere, as in "know" and "another"."""
    return "no" not in reply.lower()
