"""Fields made for the answer: `\\boxed{B}`, `<answer>B</answer>`, `[ANSWER] B [/ANSWER]`, `{"answer": "B"}`."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

_TAG = re.compile(
    r"[<\[](?:final_?)?(?:answer|ans|choice|option)[>\]]([^<\[\n]{0,2000})"
    r"|[\"'](?:final[ _]?|correct[ _]?)?(?:answer|choice|option|letter|prediction)[\"']\s{0,9}:\s{0,9}"
    r"(?:\"((?:[^\"\\\n]|\\.){0,2000})\"|'((?:[^'\\\n]|\\.){0,2000})'|([^\"',}\n]{1,200}))",
    re.IGNORECASE,
)
_BRACE = re.compile(r"[{}]")
_BOX = re.compile(r"\\boxed[^{]{0,5}\{")
_LONGEST = 2000


class Field(NamedTuple):
    """A field made for the answer: its start and content."""

    start: int
    content: str


def fields_in(text: str) -> list[Field]:
    """Return the non-empty fields in `text`, the last first."""
    found = [(tag.start(), next(group for group in tag.groups() if group is not None)) for tag in _TAG.finditer(text)]
    for box in _BOX.finditer(text):
        longest = box.end() + _LONGEST
        found.append((box.start(), text[box.end() : closing_brace(text, box.end(), longest) or longest]))
    return [Field(start, content) for start, content in sorted(found, reverse=True) if content.strip()]


def closing_brace(text: str, start: int, end: int = sys.maxsize) -> int | None:
    """Return the index of the brace that closes the block with content from `start`, or None before `end`."""
    depth = 1
    for brace in _BRACE.finditer(text, start, end):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return None
