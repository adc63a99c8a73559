"""Option texts are found in an answer as whole words and numbers, the longest first."""

import re
import string

import pytest
from growth import is_linear
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.mcq.options import TEXTS, Options, masked

PAD = "\uf8ff"


def seen(text: str, *options: str) -> str:
    """Return the masked text: 1 for the longest of `options`, 2 for the second, ..., `_` for
    padding.
    """
    found = masked(text, Options(dict(zip(string.ascii_uppercase, options, strict=False))))
    assert len(found) == len(text)
    return "".join(
        str(1 + ord(c) - ord(TEXTS)) if TEXTS <= c < PAD else "_" if c == PAD else c for c in found
    )


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("Dark Red.", "dark red"),
        (r"\text{Dark Red}", "dark red"),
        ('"Dark red"', "dark red"),
        ("(C)", "c"),
        ("[c]", "c"),
        ("(c) red", "(c) red"),
        ("(5)", "(5)"),
        ("", ""),
    ],
)
def test_option_texts_are_cleaned_as_answers_are(given_text: str, expected: str) -> None:
    """Case, markup, closing marks and the brackets around a single letter do not count."""
    assert Options({"A": given_text}).texts == {"A": expected}


def test_options_that_share_a_text_are_looked_for_together() -> None:
    """The longest text comes first; pictures and texts that are the letter of an option are not
    looked for.
    """
    options = Options({"A": "Red", "B": "dark red", "C": "red.", "D": "", "E": "B", "F": "z"})
    assert options.sought == [("dark red", "B"), ("red", "AC"), ("z", "F")]


def test_at_most_256_texts_are_looked_for() -> None:
    """There are 256 characters that stand for texts."""
    options = Options({str(number): f"text {number}" for number in range(300)})
    assert len(options.sought) == 256


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("it is blue", ["red", "blue"], "it is 1___"),
        ("dark red, not red", ["red", "dark red"], "1_______, not 2__"),
        ("red red,red", ["red"], "1__ 1__,1__"),
        ("redred red", ["red"], "redred 1__"),
        ("aaa aa", ["aa"], "aaa 1_"),
        ("aa a b b b", ["a b b"], "aa 1____ b"),
        ("11, 1, 1", ["1, 1"], "11, 1___"),
        ("x哈哈哈", ["哈哈"], "x哈1_"),
        ("c++ or c", ["C++", "C"], "1__ or 2"),
        ("", ["red"], ""),
        ("red", ["", ""], "red"),
    ],
)
def test_every_whole_occurrence_is_masked(text: str, options: list[str], expected: str) -> None:
    """Each text that stands in an answer becomes one character and padding; the rest stays."""
    assert seen(text, *options) == expected


@pytest.mark.parametrize(
    ("text", "option", "whole"),
    [
        ("red", "red", True),
        ("(red)", "red", True),
        ("a-red-b", "red", True),
        ("bored", "red", False),
        ("reddish", "red", False),
        ("my_red", "red", False),
        ("red_1", "red", False),
        ("1red", "red", False),
        ("red2", "red", False),
        ("颜色是红", "红", True),
        ("是red。", "red", True),
        ("red的", "red", True),
        ("the dog's tail", "s tail", False),
        ("of x's tail", "s tail", False),
        ("'red'", "red", True),
        ("it ' red", "red", True),
        ("x+1", "+1", True),
        ("1+", "1+", True),
        ("x2+y", "2+", False),
        ("b++c", "++", True),
        ("+1x", "+1", False),
    ],
)
def test_a_text_inside_a_word_is_not_it(text: str, option: str, whole: bool) -> None:
    """A text that begins or ends with a letter or digit stands between others' ends; Chinese has
    no spaces.
    """
    assert (seen(text, option) != text) is whole


@pytest.mark.parametrize(
    ("text", "option", "whole"),
    [
        ("5", "5", True),
        ("15", "5", False),
        ("50", "5", False),
        ("it is 5.", "5", True),
        ("it is 5.2", "5", False),
        ("it is 5.2 cm", "5", False),
        ("it is 5,000", "5", False),
        ("5, 6", "5", True),
        ("6,5", "5", False),
        ("1.5", "5", False),
        (".5", "5", True),
        ("a,5", "5", True),
        ("a.5", "5", True),
        ("it is -5", "5", False),
        ("it is −5", "5", False),
        ("it is -5", "-5", True),
        ("it is x-red", "red", True),
        ("it is 1.red", "red", True),
        ("red.5", "red", True),
        ("red,5", "red", True),
        ("5%", "5", True),
        ("$5", "5", True),
    ],
)
def test_a_number_inside_a_number_is_not_it(text: str, option: str, whole: bool) -> None:
    """A number is no part of a longer one, and has its own sign."""
    assert (seen(text, option) != text) is whole


def test_a_text_that_opens_an_item_is_an_option() -> None:
    """Only numbers are the numbers of items."""
    assert seen("red. it is", "red") == "1__. it is"
    assert seen("5 cm. it is", "5 cm") == "1___. it is"
    assert seen("v5. it is", "v5") == "1_. it is"


words = st.text("ab", min_size=2, max_size=3)
lines = st.lists(words, min_size=1).map(" ".join)


@given(lines, lines)
def test_words_are_found_where_they_stand(text: str, option: str) -> None:
    """Among words with spaces between them, an option is found where a pattern with word
    boundaries finds it.
    """
    assert seen(text, option) == re.sub(rf"\b{option}\b", "1" + "_" * (len(option) - 1), text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["5 ", "55 ", "red", "red "])
def test_masking_takes_linear_time(unit: str) -> None:
    """However often an option's text stands in a line, as a word or within one."""
    options = Options({"A": "red", "B": "5"})
    assert is_linear(lambda text: masked(text, options), unit, long=160_000)
