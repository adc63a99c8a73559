"""Lines of a response as the matcher sees them, and options to see them with."""

from __future__ import annotations

from collections.abc import Mapping

from spiqa_tasks.scoring.mcq_options import masked, options_of
from spiqa_tasks.scoring.mcq_text import lower, plain
from spiqa_tasks.scoring.mcq_tokens import Line, read_line

COLOURS = {"A": "red", "B": "blue", "C": "green", "D": "dark red", "E": "15"}
PICTURES = dict.fromkeys("ABCD", "")
NINE = dict.fromkeys("ABCDEFGHI", "")


def line_of(text: str, choices: Mapping[str, str] = COLOURS) -> Line:
    """Return `text` as a reading sees it."""
    options = options_of(choices)
    cleaned = plain(text)
    return read_line(cleaned, masked(lower(cleaned), options), options)
