"""Responses and option texts are cleaned of markup, and of nothing else."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.mcq.text import (
    LONGEST,
    cleaned,
    fold,
    in_one_form,
    lower,
    one_a_line,
    plain,
    turns,
)


def test_of_a_response_its_reasoning_is_not_read() -> None:
    """Reasoning and the space around the rest are left out."""
    assert cleaned(" <think>A?</think>\n The answer is B.\n") == "The answer is B."


def test_a_response_of_the_longest_length_is_read_whole() -> None:
    """20,000 characters are read, not counting the space around them."""
    text = "a" * 10_000 + "b" * 10_000
    assert cleaned(f"  {text}  ") == text


def test_of_a_longer_response_both_ends_are_read() -> None:
    """The first and the last 10,000 characters are read, as lines of their own."""
    assert cleaned("a" * 10_000 + "b" + "c" * 10_000) == "a" * 10_000 + "\n" + "c" * 10_000
    assert len(cleaned("ab" * LONGEST)) == LONGEST + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Answer:** `B`", "Answer: B"),
        ("### Answer", "Answer"),
        ("# Answer", "Answer"),
        ("__B__", "B"),
        ("C#", "C#"),
        ("a_b", "a_b"),
        ("<b>B</b><br/>", "B"),
        ("B</s>", "B"),
        ("</s>", ""),
        ("**", ""),
        ("<|pad|>" * 50, ""),
        ("B<|im_end|>", "B"),
        ("x < 3 and y > 2", "x < 3 and y > 2"),
        ("<B>", "<B>"),
        ("B\u200b\ufeff", "B"),
        ("B\ue000", "B"),
        ("  The\tanswer\n is  B ", "The answer is B"),
        ("", ""),
    ],
)
def test_markup_is_removed(text: str, expected: str) -> None:
    """Markdown, HTML tags, special tokens, invisible characters and repeated spaces go; what
    looks like them stays.
    """
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\text{(D) }\frac{14}{3}", "(D) 14/3"),
        (r"\dfrac {1} {2}", "1/2"),
        (r"\displaystyle \frac{3}{4}", "3/4"),
        (r"\textbf{B}", "B"),
        (r"\mathrm {B}", "B"),
        (r"5\%", "5%"),
        (r"\(B\) \[C\]", "B C"),
        ("$B$", "B"),
    ],
)
def test_latex_is_read_as_people_write_it(text: str, expected: str) -> None:
    """Wrappers of text and mathematics go, and fractions, degrees and products become
    characters.
    """
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（Ｂ）", "(B)"),
        ("“B”", '"B"'),
        ("«B»", '"B"'),
        ("it’s B", "it's B"),
        ("½", "1⁄2"),
        ("1–2 and −3", "1-2 and -3"),
        ("B—why", "B - why"),
        ("【答案】", "[答案]"),
        ("B．①", "B.(1)"),
        ("blåbær", "blåbær"),
    ],
)
def test_characters_have_one_form(text: str, expected: str) -> None:
    """Full-width characters and the quotes of all languages become the common ones."""
    assert in_one_form(text) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("So: A) red B) blue C) green", ["So: ", "A) red ", "B) blue ", "C) green"]),
        ("A: red, B: blue, C: green", ["A: red, ", "B: blue, ", "C: green"]),
        ("(A) red, (B) blue, or (C) green", ["(A) red, (B) blue, or (C) green"]),
        ("(A) red (B) blue (C) x Answer: (B) y", ["(A) red ", "(B) blue ", "(C) x Answer: (B) y"]),
        ("A) ... B) ... C) ...", ["A) ... ", "B) ... ", "C) ..."]),
        ("A) red B) blue", ["A) red B) blue"]),
        ("A) red (B) blue C) green", ["A) red (B) blue C) green"]),
        ("(A) red\n(B) blue (C) green", ["(A) red", "(B) blue (C) green"]),
    ],
)
def test_options_in_one_line_are_put_on_several(text: str, lines: list[str]) -> None:
    """From three on, in one form; behind `or` and colons stand mentions and no options."""
    assert one_a_line(text).strip("\n").split("\n") == lines


@given(st.text("aB3 .,:;()[]{}\t\n"))
def test_text_without_markup_keeps_its_words(text: str) -> None:
    """Of a text without markup nothing but the space between its words changes."""
    assert plain(text) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"), [("Blue İÇ", "blue İç"), ("İ", "İ"), ("ẞ", "ß"), ("BLUE", "blue")]
)
def test_a_character_that_would_grow_keeps_its_case(text: str, expected: str) -> None:
    """Lower case is one character for each."""
    assert lower(text) == expected


@given(st.text())
def test_lower_case_keeps_the_length(text: str) -> None:
    """Positions are the same in both cases, and characters with a lower-case form of one
    character have it.
    """
    lowered = lower(text)
    assert len(lowered) == len(text)
    assert all(
        low in (character, character.lower()) for low, character in zip(lowered, text, strict=True)
    )
    assert not any(
        unicodedata.category(low) == "Lu" and len(low.lower()) == 1 and low.lower() != low
        for low in lowered
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dark Red.", "dark red"),
        ('"Dark red."', "dark red"),
        ("'Dark red'?!", "dark red"),
        ("暗红。", "暗红"),
        ("Dark red .", "dark red"),
        (".5", ".5"),
        ("red, blue", "red, blue"),
        ("XXL", "xxl"),
        ("...", ""),
    ],
)
def test_options_are_compared_without_case_and_closing_marks(text: str, expected: str) -> None:
    """Case, quotes around a text and punctuation at its end do not count; what a text begins
    with does.
    """
    assert fold(text) == expected


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
    st.lists(
        st.sampled_from(["B", " ", "\n", "Question:", "Q:", "</s>", "### Input", "x"]), max_size=20
    ).map("".join)
)
def test_turns_hold_the_whole_text(text: str) -> None:
    """Nothing but white space between the turns is left out, and no turn is empty."""
    parts = turns(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part == part.strip() != "" for part in parts)
