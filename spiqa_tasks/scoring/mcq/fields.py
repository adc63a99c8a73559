"""Fields made for the answer: `\\boxed{B}`, `<answer>B</answer>`, `[ANSWER] B [/ANSWER]`,
`{"answer": "B"}`.
"""

import re
import sys
from typing import NamedTuple

_TAG = re.compile(
    r"[<\[\"'](?:"  # sought fast: most characters begin no field
    r"(?<=[<\[])(?:final_?)?(?:answer|ans|choice|option)[>\]]([^<\[\n]{0,2000})"
    r"|(?<=<)(?:conclusion|solution|output|response|result|final)>\s{0,9}([^<\n]{1,2000})"
    r"|(?<=[\"'])(?:final[ _]?|correct[ _]?)?(?:answer|choice|option|letter|prediction)"
    r"(?:[ _](?:choice|letter|option|key))?[\"']\s{0,9}:\s{0,9}"
    r"(?:\"((?:[^\"\\\n]|\\.){0,2000})\"|'((?:[^'\\\n]|\\.){0,2000})'|([^\"',}\n]{1,200})))",
    re.IGNORECASE,
)
_BRACE = re.compile(r"[{}]")
_BOX = re.compile(r"\\(?:boxed|fbox)[^{]{0,5}\{")

# Most characters of a box that are read, if its brace is not closed.
_LONGEST = 2000


class Field(NamedTuple):
    """A field made for the answer: its start and content."""

    start: int
    content: str


def fields_in(text: str) -> list[Field]:
    """Return the non-empty fields in `text`, the last first."""
    marks = sorted((*_TAG.finditer(text), *_BOX.finditer(text)), key=lambda mark: -mark.start())
    fields = (Field(mark.start(), _content(text, mark)) for mark in marks)
    return [field for field in fields if field.content.strip()]


def _content(text: str, mark: re.Match[str]) -> str:
    """Return the content of a tagged field, or of a box up to its closing brace."""
    if mark.lastindex:
        return mark[mark.lastindex]
    longest = mark.end() + _LONGEST
    return text[mark.end() : closing_brace(text, mark.end(), longest) or longest]


def closing_brace(text: str, start: int, end: int = sys.maxsize) -> int | None:
    """Return the index of the brace that closes the block with content from `start`, or None
    before `end`.
    """
    depth = 1
    for brace in _BRACE.finditer(text, start, end):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return None
