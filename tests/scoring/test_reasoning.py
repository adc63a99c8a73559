"""Reasoning before an answer is no part of it."""

from __future__ import annotations

import pytest

from spiqa_tasks.scoring.reasoning import without_reasoning


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>A or B?</think>B", "B"),
        ("<think>A or\nB?</think>\n\nB\n", "B"),
        ("<think>A</think>B <think>C</think>D", "B D"),
        ("A or B, says the prompt's block</think>B", "B"),
        ("<think></think>B", "B"),
        ("So <think>A</think>it is <think>C</think>D", "So it is D"),
        ("<thinking>A</thinking>B", "B"),
    ],
)
def test_blocks_are_left_out(text: str, answer: str) -> None:
    """Closed blocks and those whose opening tag stood in the prompt leave the answer alone."""
    assert without_reasoning(text) == answer


@pytest.mark.parametrize("text", ["", " B \n", "I think that A is right.", "thinking of A", "a < b and c > d", "[A]"])
def test_text_without_a_block_is_unchanged(text: str) -> None:
    """Not even blanks are removed."""
    assert without_reasoning(text) == text
