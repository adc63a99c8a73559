"""Reasoning is removed in every notation, and only reasoning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.reasoning import without_reasoning


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>A?</think>B", "B"),
        ("<thinking>A?</thinking>\nB", "B"),
        ("◁think▷A?◁/think▷ B", "B"),
        ("[THINK]A?[/THINK]B", "B"),
        ("A?</think>B", "B"),
        ("First. <think>A?</think> Then. <think>C?</think> B", "First.  Then.  B"),
        ("<think>A? The answer is A", ""),
        ("<think>A? <answer>B</answer>", "<answer>B</answer>"),
        ("<answer>A? <think>no <answer>B</answer>", "<answer>A? <answer>B</answer>"),
        (" I think it is <b>B</b>\n", " I think it is <b>B</b>\n"),
        ("", ""),
    ],
)
def test_reasoning_blocks_are_removed(text: str, expected: str) -> None:
    """A block that is never closed goes to the tag that opens the answer, or to the end."""
    assert without_reasoning(text) == expected


@given(st.lists(st.sampled_from(["<think>", "</think>", "◁think▷", "<answer>", "[THINK]", "B", " "])).map("".join))
def test_removing_twice_changes_nothing_more(text: str) -> None:
    """What is left has no reasoning."""
    assert without_reasoning(without_reasoning(text)) == without_reasoning(text)
