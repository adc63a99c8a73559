"""Whether a model finds a figure helpful."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.figure_relevance import is_helpful_released, parse_helpful


@pytest.mark.parametrize(
    ("reply", "corrected", "released"),
    [
        ("Yes", True, True),
        ("No.", False, False),
        ("Yes, I know it is", True, False),
        ("Yes, another view", True, False),
        ("It is not helpful", False, False),
        ("The chart", None, True),
        ("", None, True),
    ],
)
def test_released_rule_finds_no_in_other_words(reply: str, corrected: bool | None, released: bool) -> None:
    """ "know" and "another" turn a yes into a no for the released rule, not for the corrected one."""
    assert parse_helpful(reply) is corrected
    assert is_helpful_released(reply) is released


@pytest.mark.parametrize(
    ("reply", "helpful"),
    [
        ("YEAH", True),
        ("yeah, no", True),
        ("No, yes", False),
        ("It does not, yes", False),
        ("Yesterday and nobody", None),
        ("yes_or_no", None),
        ("**Yes**", True),
        ("Answer:no", False),
        ("cannot", None),
    ],
)
def test_the_first_whole_word_counts(reply: str, helpful: bool | None) -> None:
    """In either case of letters, with any mark beside it."""
    assert parse_helpful(reply) is helpful


@given(st.lists(st.sampled_from(["yes", "Yeah", "no", "NOT", "know", "yess", "it"]), max_size=6))
def test_words_are_read_as_a_list_of_them_would_be(words: list[str]) -> None:
    """Against the first word among the four, and against the letters for the released rule."""
    told = [word.lower() in ("yes", "yeah") for word in words if word.lower() in ("yes", "yeah", "no", "not")]
    assert parse_helpful(", ".join(words)) is (told[0] if told else None)
    assert is_helpful_released(", ".join(words)) is all("no" not in word.lower() for word in words)
