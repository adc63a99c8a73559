"""A judge's words without the key that it was asked with, however it is spelled, and without passwords in addresses."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise
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
    """Return a verdict with all of its texts `redacted`, and tokens that spell half of the key one after the other."""
    model, reason = (None if text is None else redacted(text, key) for text in (verdict.model, verdict.reason))
    tokens = _apart([token for token, _ in verdict.top_logprobs], key)
    pairs = tuple((redacted(token, key), pair[1]) for token, pair in zip(tokens, verdict.top_logprobs, strict=True))
    return replace(verdict, text=redacted(verdict.text, key), top_logprobs=pairs, model=model, reason=reason)


def _without_pieces(text: str, pattern: re.Pattern[str]) -> str:
    """The text with `[key]` for each stretch."""
    parts: list[str] = []
    end = 0
    for start, stop in _stretches(text, pattern):
        parts += [text[end:start], "[key]"]
        end = stop
    return "".join([*parts, text[end:]]) if parts else text


def _apart(tokens: list[str], key: str | None) -> list[str]:
    """The tokens with `[key]` for each that has a part in a stretch of all of them."""
    stretches = _stretches("".join(tokens), _pattern(key)) if key and len(key) >= SHORTEST_SECRET else []
    if not stretches:
        return tokens
    spans = pairwise([0, *accumulate(map(len, tokens))])
    return [
        "[key]" if any(start < end and begin < stop for start, stop in stretches) else token
        for token, (begin, end) in zip(tokens, spans, strict=True)
    ]


def _stretches(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where pieces cover the text, each as (start, stop): one piece or several that overlap."""
    found: list[tuple[int, int]] = []
    for piece in pattern.finditer(text):
        start, stop = piece.span(1)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found


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
