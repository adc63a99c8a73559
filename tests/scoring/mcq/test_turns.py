"""An answer ends where its author asks the next question, or where a turn does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.mcq.turns import turns


@pytest.mark.parametrize(
    "mark",
    [
        "\nQuestion: why?", "\nQ: why?", "\n**Question 2:** why?", "\nNext question: why?", "\nHuman: why?",
        "\nUser: why?",
        "\n### Instruction:\nGo on.", "\n### Question\nWhy?", "\n## Human: why?", "\n问题：为什么",
        "\n题目: 为什么", "\n질문: 왜?",
        "\nPregunta: ¿por qué?", "\nFrage: warum?", "\nВопрос: почему?", "<|end|>", "<|im_end|>", "<|eot_id|>",
        "<|endoftext|>", "</s>", "<end_of_turn>", "[INST] why? [/INST]", "\n<|im_start|>user",
    ],
)  # fmt: skip
def test_a_new_question_begins_a_turn(mark: str) -> None:
    """Each mark of another question or of a turn's end is where the answer ends."""
    assert turns(f"B{mark} C")[0] == "B"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B, as the question: why? shows",
        "The question is why.\nB",
        "Questions: two",
        "Queue: long",
        "### Answer\nB",
        "## Step 1: look",
        "<|begin_of_box|>B<|end_of_box|>",
    ],
)
def test_anything_else_is_one_turn(text: str) -> None:
    """A question in a sentence, a heading or another token begins no turn."""
    assert turns(text) == [text] * bool(text)


@given(
    st.lists(st.sampled_from(["B", " ", "\n", "Question:", "Q:", "</s>", "### Input", "x"]), max_size=20).map("".join)
)
def test_turns_hold_the_whole_text(text: str) -> None:
    """Nothing but white space between the turns is left out, and no turn is empty."""
    parts = turns(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part == part.strip() != "" for part in parts)
