"""The rules of MMStar's authors, which look at one character."""

from __future__ import annotations

import pytest

from spiqa_tasks.scoring.mcq.released import released_match


@pytest.mark.parametrize(
    ("response", "answer", "hit"),
    [
        ("B", "B", True),
        (" b: blue", "B\n", True),
        ("(B) blue", "b", True),
        ("Option B", "B", True),
        ("The answer is B.", "B", True),
        ("The answer\nis B.", "B", True),
        ("Blue", "B", True),
        ("A chart shows B", "B", False),
        ("The correct answer is B", "B", False),
        ("Answer: B", "B", False),
        ("the answer is (B)", "B", False),
        ("(", "B", False),
        ("", "B", False),
        ("B", "", False),
        ("BC", "BC", False),
    ],
)
def test_released_rules_look_at_one_character(response: str, answer: str, hit: bool) -> None:
    """Only the character at the start or right after one of three openings counts, whatever word it begins."""
    assert released_match(response, answer) is hit
