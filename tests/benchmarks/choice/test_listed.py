"""Options that stand within a question's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.choice.listed import options_in, question_before


@pytest.mark.parametrize(
    "listing",
    [
        "\n(A) red\n(B) dark blue",
        "\nA. red\nB. dark blue",
        "\nA) red\nB) dark blue\n",
        "\n- A: red\n- B: dark blue",
        "\n[A] red\n[B] dark blue\nAnswer with the letter.",
        "\nOptions: A: red, B: dark blue",
        "\nChoices:\n(A) red\n(B) dark blue",
        " (A) red (B) dark blue",
        " A. red; B. dark blue",
    ],
)
def test_lists_of_options_are_known_in_many_forms(listing: str) -> None:
    """Lines or one line, with any of the usual labels, whatever sentence stands before or in a line after them."""
    assert options_in(f"Which colour is it?{listing}") == {"A": "red", "B": "dark blue"}


@pytest.mark.parametrize("text", ["", "What did A. Smith draw?", "Is (A) the best?", "Which of B. and C. is it?"])
def test_a_question_without_a_list_has_no_options(text: str) -> None:
    """A single label, or one that does not begin with A, is no list."""
    assert options_in(text) == {}


def test_options_of_several_lines_keep_them() -> None:
    """Where one option has several lines, the last one may have, too."""
    assert options_in("Which code?\n(A) x = 1\nprint(x)\n(B) y = 1\nprint(y)") == {
        "A": "x = 1\nprint(x)",
        "B": "y = 1\nprint(y)",
    }


@given(st.lists(st.text("abc ,.", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=10))
def test_what_is_listed_is_found(options: list[str]) -> None:
    """Texts of options are those that were written."""
    lines = "".join(f"\n({letter}) {text}" for letter, text in zip("ABCDEFGHIJ", options, strict=False))
    assert list(options_in(f"Which one?{lines}").values()) == options


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("What is it?\nOptions: A: x, B: y, C: z", "What is it?"),
        (
            "Hint: a letter, e.g., A, B.\nQuestion: Sum?\nChoices:\n(A) 1\n(B) 2",
            "Hint: a letter, e.g., A, B.\nQuestion: Sum?",
        ),
        ("Which?\nA. x\nB. y", "Which?"),
        (" No options here. ", "No options here."),
        ("Options: none", "Options: none"),
    ],
)
def test_the_question_before_the_options(text: str, question: str) -> None:
    """Without their heading; whole where there are none."""
    assert question_before(text) == question
