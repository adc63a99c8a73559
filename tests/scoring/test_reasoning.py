"""Reasoning is removed in every notation, and only reasoning."""

import pytest
from growth import is_linear
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.responses import (
    CONTROL_TOKEN,
    is_cut_in_reasoning,
    without_control_tokens,
    without_reasoning,
)


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
        ("<think>A?\n**Answer**\nB", "**Answer**\nB"),
        ("<think>A?\nanswer\nIt is B, as the sky is blue, and so are others, or are they?", ""),
        ("<think>A?\nanswer\nB\nWait, A?", ""),
        ("<answer>A? <think>no <answer>B</answer>", "<answer>A? <answer>B</answer>"),
        ("<think>A? <answer>B</answer> <think>C?</think> D", "D"),
        ("<think>A <think>nested</think> B", "B"),
        ("<REASONING>A?</REASONING>B</REASONING></REASONING>", "B"),
        ("<think>A?</think>C?</think>B", "B"),
        ("A?</think>C?</think>B", "B"),
        (
            "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B",
            "B",
        ),
        ("<|channel|>final<|message|>A<|channel|>final <|constrain|>B", "<|constrain|>B"),
        ("<|channel|>final json<|message|><think>A?</think>B", "B"),
        ("Before. <|channel|>analysis<|message|>A? The answer is A", "Before. "),
        ("<|channel|>analysis<|message|>A? <|channel|>commentary<|message|>A", ""),
        (" I think it is <b>B</b>\n", " I think it is <b>B</b>\n"),
        ("<think>Is it A? B?\n\n**Answer: C**", "**Answer: C**"),
        ("<think>Is it A? B?\n$$\n\\boxed{C}\n$$", "\\boxed{C}\n$$"),
        ("<think>It was \\boxed{C}, or else B", ""),
        ("<think>The rule is:\nAnswer: only if both of them are red, or blue and green", ""),
        ("", ""),
    ],
)
def test_reasoning_blocks_are_removed(text: str, expected: str) -> None:
    """An unclosed block goes to the tag that opens the answer, or to the end; of channels the
    final one is kept.
    """
    assert without_reasoning(text) == expected


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<analysis>", "</analysis>"),
        ("<seed:think>", "</seed:think>"),
        ("<mm:think>", "</mm:think>"),
        ("<longcat_think>", "</longcat_think>"),
        ("<unused94>", "<unused95>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ],
)
def test_tags_of_single_models_are_reasoning(start: str, end: str) -> None:
    """Closed, never closed, and begun in the prompt."""
    assert without_reasoning(f"{start}A?{end} B") == "B"
    assert without_reasoning(f"{start}A? The answer is A") == ""
    assert without_reasoning(f"A?{end}B") == "B"
    assert is_cut_in_reasoning(f"{start}A?")
    assert not is_cut_in_reasoning(f"{start}A?{end}B")


@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "◁think▷", "<answer>", "[THINK]", "B", " "])
    ).map("".join)
)
def test_removing_twice_changes_nothing_more(text: str) -> None:
    """What is left has no reasoning."""
    assert without_reasoning(without_reasoning(text)) == without_reasoning(text)


TOKENS = [
    "<s>",
    "</s>",
    "<|im_end|>",
    "<|endoftext|>",
    "<eos>",
    "[/INST]",
    "<end_of_turn>",
    "<<SYS>>",
    "<pad>",
]


@given(
    st.lists(st.sampled_from([*TOKENS, " ", "\n"])),
    st.text(),
    st.lists(st.sampled_from([*TOKENS, " ", "\n"])),
)
def test_what_is_between_outer_tokens_comes_back(
    before: list[str], text: str, after: list[str]
) -> None:
    """Any text, without the blanks around it."""
    found = without_control_tokens("".join([*before, text, *after]))
    if CONTROL_TOKEN.search(text) is None and not set("<>[]|") & set(text):
        assert found == text.strip()
    assert without_control_tokens(found) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.35 <s>", "0.35"),
        ("a <s> b </s>", "a <s> b"),
        ("<pad><pad></s>", ""),
        ("", ""),
        ("x < s", "x < s"),
        ("the token <s> ends it", "the token <s> ends it"),
    ],
)
def test_tokens_within_an_answer_stay(text: str, expected: str) -> None:
    """They are what it is about."""
    assert without_control_tokens(text) == expected


@pytest.mark.parametrize("part", ["<s>", "<|", "< s>", "a<s>", " "])
def test_the_time_grows_with_the_text_alone(part: str) -> None:
    """A megabyte of them."""
    assert is_linear(without_control_tokens, part)
