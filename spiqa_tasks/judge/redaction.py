"""A judge's words without the key that it was asked with, and without passwords in addresses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import quote

from spiqa_tasks.judge.types import Verdict

SHORTEST_SECRET = 8
"""Characters of the shortest key that is hidden: a placeholder such as `EMPTY` would mangle messages."""
_PASSWORD = re.compile(r"(?<=//)[^/\s@]+@")


def redacted(text: str, key: str | None) -> str:
    """Return a text that a server wrote as it may be stored and shown.

    The key, as it is, percent-encoded or as a JSON string, becomes `[key]`, user and password of an address
    `[credentials]@`, and what is no Unicode text a question mark.
    """
    text = text.encode("utf-8", "replace").decode()
    if key and len(key) >= SHORTEST_SECRET:
        for form in (key, quote(key, safe=""), quote(key), json.dumps(key)[1:-1]):
            text = text.replace(form, "[key]")
    return _PASSWORD.sub("[credentials]@", text)


def redacted_verdict(verdict: Verdict, key: str | None) -> Verdict:
    """Return a verdict with all of its texts `redacted`."""
    model, reason = (None if text is None else redacted(text, key) for text in (verdict.model, verdict.reason))
    pairs = tuple((redacted(token, key), logprob) for token, logprob in verdict.top_logprobs)
    return replace(verdict, text=redacted(verdict.text, key), top_logprobs=pairs, model=model, reason=reason)
