"""Fields made for the answer: `\\boxed{B}`, `<answer>B</answer>`, `[ANSWER] B [/ANSWER]`, `{"answer": "B"}`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAG = re.compile(
    r"[<\[](?:final_?)?(?:answer|ans|choice|option)[>\]]([^<\[\n]{0,2000})"
    r"|[\"'](?:final[ _]?|correct[ _]?)?(?:answer|choice|option|letter|prediction)[\"']\s{0,9}:\s{0,9}"
    r"(?:\"((?:[^\"\\\n]|\\.){0,2000})\"|'((?:[^'\\\n]|\\.){0,2000})'|([^\"',}\n]{1,200}))",
    re.IGNORECASE,
)
_NAMES = ("answer", "ans", "option", "choice", "letter", "prediction")
_HINTS = tuple(name + mark for name in _NAMES for mark in ">]\"'")
_BRACE = re.compile(r"[{}]")


def fields_in(text: str) -> list[str]:
    """Return the contents of the fields in `text`, the last one first."""
    low = text.lower()
    found = [*_boxes(text), *(_tags(text) if any(hint in low for hint in _HINTS) else ())]
    return [content for _, content in sorted(found, reverse=True)]


def _tags(text: str) -> Iterator[tuple[int, str]]:
    for tag in _TAG.finditer(text):
        content = next(group for group in tag.groups() if group is not None)
        yield tag.start(), content


def _boxes(text: str) -> Iterator[tuple[int, str]]:
    position = text.find("\\boxed")
    while position != -1:
        opening = text.find("{", position, position + 12)
        end = _closing(text, opening + 1) if opening != -1 else position + 6
        if opening != -1:
            yield position, text[opening + 1 : end]
        position = text.find("\\boxed", max(end, position + 6))


def _closing(text: str, start: int) -> int:
    """Return where the brace closes whose inside begins at `start`: at most 2,000 characters later."""
    depth = 1
    for brace in _BRACE.finditer(text, start, start + 2000):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return min(len(text), start + 2000)
