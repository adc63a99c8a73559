"""What can be seen of an option without the picture."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spiqa_tasks.scoring.option_features import NUMBERS, beginning, option_numbers, option_tokens


def named(question: str, options: list[str]) -> list[dict[str, float]]:
    """The numbers of each option by name."""
    return [dict(zip(NUMBERS, row, strict=True)) for row in option_numbers(question, options)]


def test_numbers_of_known_options() -> None:
    """Places, lengths, ranks with ties, shared words, likeness, and the words that stand for several options."""
    first, second, third = named("How many red cars?", ["12 red cars", "1,000", "None of these"])
    assert (first["place"], first["place_from_end"], first["options"]) == (0, 2, 3)
    assert [each["length_rank"] for each in (first, second, third)] == [0.5, 0, 1]
    assert first["relative_length"] == pytest.approx(11 / (29 / 3))
    assert (first["shared_words"], first["shared_rank"]) == (2 / 3, 1)
    assert (second["shared_rank"], third["shared_rank"]) == (0.25, 0.25)
    assert [each["number_rank"] for each in (first, second, third)] == [0, 1, -1]
    assert (third["catch_all"], third["negation"], third["capitals"]) == (1, 0, 1 / 13)
    assert second["punctuation"] == 1
    assert named("?", ["a b", "b c"])[0]["likeness"] == pytest.approx(1 / 3)


def test_tokens_have_words_pairs_letter_and_the_beginning_of_the_question() -> None:
    """So that a linear model can learn that a word is right after "how many"."""
    tokens, _ = option_tokens("How many are there?", ["Two cars", "Three"])
    assert {
        "two",
        "cars",
        "two cars",
        "letter=0",
        "whole=two cars",
        "how many: two",
        "length_rank=1.00",
    } <= set(tokens)
    assert beginning("  Why?") == "why"


texts = st.text(max_size=12)


@given(texts, st.lists(texts, min_size=1, max_size=5))
@example("", ["0:1:2", "0", "0:1:2", "0:1:2"])
def test_any_text_has_finite_numbers_that_do_not_depend_on_the_order(
    question: str, options: list[str]
) -> None:
    """But for the places; and tokens for each option."""
    forward, backward = named(question, options), named(question, options[::-1])[::-1]
    assert len(option_tokens(question, options)) == len(options)
    for one, other in zip(forward, backward, strict=True):
        assert all(map(math.isfinite, one.values()))
        assert one["place"] == other["place_from_end"]
        moved = {"place", "place_from_end"}
        assert all(one[name] == pytest.approx(other[name]) for name in NUMBERS if name not in moved)


def test_numbers_are_read_with_decimals_signs_and_thousands() -> None:
    """Ranked by value; further points are left out of the number, and words have none."""
    options = ["1.5 m", "1.25 m", "-3 m", "1,000.5", "1.30.9", "none"]
    assert [each["number_rank"] for each in named("?", options)] == [0.75, 0.25, 0, 1, 0.5, -1]
    assert [each["has_number"] for each in named("?", options)] == [1, 1, 1, 1, 1, 0]


def test_every_number_of_an_option() -> None:
    """In the order of their names, of an option with marks and capitals, and of one without any text."""
    first, second = named("Is it X or y?", ["X, (Y); not Z:", ""])
    assert first == {
        **{
            "place": 0,
            "place_from_end": 1,
            "options": 2,
            "characters": 14,
            "words": 4,
            "length_rank": 1,
        },
        **{
            "relative_length": 2,
            "shared_words": 0.5,
            "shared_rank": 1,
            "likeness": 0,
            "likeness_rank": 0.5,
        },
        **{"has_number": 0, "number_rank": -1, "capitals": 3 / 14, "negation": 1, "catch_all": 0},
        **{"punctuation": 5, "question_words": 5},
    }
    assert second == {
        **{
            "place": 1,
            "place_from_end": 0,
            "options": 2,
            "characters": 0,
            "words": 0,
            "length_rank": 0,
        },
        **{
            "relative_length": 0,
            "shared_words": 0,
            "shared_rank": 0,
            "likeness": 0,
            "likeness_rank": 0.5,
        },
        **{"has_number": 0, "number_rank": -1, "capitals": 0, "negation": 0, "catch_all": 0},
        **{"punctuation": 0, "question_words": 5},
    }
