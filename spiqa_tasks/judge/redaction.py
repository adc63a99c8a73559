"""A judge's words without the key that it was asked with, however it is spelled, and without passwords in addresses."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from urllib.parse import quote

from spiqa_tasks.judge.types import Verdict

SHORTEST_SECRET = 8
"""Characters of the shortest key, or piece of one, that is taken for a secret."""
_PASSWORD = re.compile(r"(?<=//)[^/\s@]+@")


def redacted(text: str, key: str | None) -> str:
    """Return a text that a server wrote as it may be stored and shown.

    Half of the key or more of it, in any case, percent-encoded or in base64, becomes `[key]`, user and password of an
    address `[credentials]@`, and what is no Unicode text a question mark.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    if key and len(key) >= SHORTEST_SECRET:
        text = _without_pieces(text, _pattern(key))
    return _PASSWORD.sub("[credentials]@", text) if "@" in text else text


def redacted_verdict(verdict: Verdict, key: str | None) -> Verdict:
    """Return a verdict with all of its texts `redacted`."""
    model, reason = (None if text is None else redacted(text, key) for text in (verdict.model, verdict.reason))
    pairs = tuple((redacted(token, key), logprob) for token, logprob in verdict.top_logprobs)
    return replace(verdict, text=redacted(verdict.text, key), top_logprobs=pairs, model=model, reason=reason)


def _without_pieces(text: str, pattern: re.Pattern[str]) -> str:
    """The text with `[key]` for each stretch that pieces cover, one or several that overlap."""
    parts: list[str] = []
    end = 0
    for found in pattern.finditer(text):
        if not parts or found.start() > end:
            parts += [text[end : found.start()], "[key]"]
        end = max(end, found.end(1))
    return "".join([*parts, text[end:]]) if parts else text


@cache
def _pattern(key: str) -> re.Pattern[str]:
    """What finds, as its group, every piece of the key or of a form of it that is half as long."""
    pieces: dict[str, None] = {}
    for form in _forms(key):
        length = max(SHORTEST_SECRET, (len(form) + 1) // 2)
        pieces |= dict.fromkeys(re.escape(form[at : at + length]) for at in range(len(form) - length + 1))
    return re.compile(f"(?=({'|'.join(pieces)}))", re.IGNORECASE)


def _forms(key: str) -> Iterator[str]:
    """The key as it may be spelled; in base64 at each of the three places in a group of bytes."""
    yield from {key, quote(key, safe="")}
    content = key.encode()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + content + b"\0" * 3).decode()
        inner = encoded[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        yield from {inner, inner.translate(str.maketrans("+/", "-_"))}
