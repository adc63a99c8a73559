"""What the cells of a row say, and its options, wherever tables of answers have them."""

import string
from typing import Any

import pytest

from spiqa_tasks.benchmarks.own.cells import (
    answers_of,
    cell,
    letter_of,
    options_of,
    references_of,
    row_options,
)

RED_BLUE = {"A": "red", "B": "blue"}


@pytest.mark.parametrize(
    ("record", "options"),
    [
        ({"choices": RED_BLUE}, RED_BLUE),
        ({"options": ["red", "blue"]}, RED_BLUE),
        ({"options": ["(A) red", "(B) blue"]}, RED_BLUE),
        ({"choices": {"B": "blue", "D": ""}}, {"B": "blue", "D": ""}),
        ({"choices": {"a": "red", "b": None}}, {"a": "red"}),
        ({"A": "red", "B": "blue", "C": None}, RED_BLUE),
        ({"question": "Which?\nA. red\nB. blue"}, RED_BLUE),
        ({"question": "Which?"}, {}),
        ({"response": "B"}, {}),
        ({"options": None, "A": "red", "B": "blue"}, {}),
    ],
)
def test_options_are_where_their_column_says(
    record: dict[str, Any], options: dict[str, str]
) -> None:
    """An object, a list, a column for each letter, or the question's text."""
    assert row_options(record) == options


@pytest.mark.parametrize("value", [7, "red", ["red"], {"A": "red", "a": "blue"}, {"one": "red"}])
def test_options_in_no_known_form_are_an_error(value: Any) -> None:
    """A number, a text that lists nothing, a single option, a letter twice."""
    with pytest.raises(ValueError, match=r"not a list|1 options|a letter twice"):
        row_options({"options": value})


@pytest.mark.parametrize(
    ("record", "column", "value"),
    [
        ({"a": 1}, "a", 1),
        ({"a": 1}, "b", None),
        ({"a": {"b": 1}}, "a.b", 1),
        ({"a": '{"b": {"c": 1}}'}, "a.b.c", 1),
        ({"a.b": 2, "a": {"b": 1}}, "a.b", 2),
        ({"a": [1]}, "a.b", None),
    ],
)
def test_a_field_in_a_column_is_named_with_a_dot(
    record: dict[str, Any], column: str, value: Any
) -> None:
    """A column of that very name comes first."""
    assert cell(record, column) == value


@pytest.mark.parametrize(
    ("value", "options"),
    [
        ({"b": "x", "a": "y"}, {"b": "x", "a": "y"}),
        ({"B": "x", "C": "y", "D": None, "E": ""}, {"B": "x", "C": "y"}),
        ({"A": "", "B": ""}, {}),
        (["x", "y", "", None], {"A": "x", "B": "y"}),
        ([{"label": "A", "text": "x"}, {"label": "B", "text": "y"}], {"A": "x", "B": "y"}),
        ({"text": ["x", "y"], "label": ["1", "2"]}, {"1": "x", "2": "y"}),
        ("A. 4; B. 3; C. 2 ;D.1 ; E. none", {"A": "4", "B": "3", "C": "2", "D": "1", "E": "none"}),
        ("A. 3, 4;B. 30, 40;C. 5, 6", {"A": "3, 4", "B": "30, 40", "C": "5, 6"}),
        ("A. B; B. C; C. D; D. E", dict(zip("ABCD", "BCDE", strict=True))),
        (
            "A. Vitamin B.; B. Vitamin C.; C. Vitamin D.",
            {"A": "Vitamin B.", "B": "Vitamin C.", "C": "Vitamin D."},
        ),
        ("(A)B (B)C (C)A", {"A": "B", "B": "C", "C": "A"}),
        (
            "a ) 38 , b ) 27.675 , c ) none of these",
            {"A": "38", "B": "27.675", "C": "none of these"},
        ),
        ({"one": "x", "two": "y"}, {"A": "x", "B": "y"}),
        (["A. x", "B. "], {"A": "A. x", "B": "B."}),
        ([" (a) x ", "(b) y"], {"A": "x", "B": "y"}),
        ({}, {}),
        (None, {}),
        ("A. x\nB. y", {"A": "x", "B": "y"}),
        (list(range(26)), dict(zip(string.ascii_uppercase, map(str, range(26)), strict=True))),
    ],
)
def test_options_keep_their_labels_or_get_letters_in_order(
    value: Any, options: dict[str, str]
) -> None:
    """Published labels are kept, options without a text are none, and a text is split at each label that continues."""
    assert options_of({"o": value}, ("o",)) == options


def test_options_in_columns_of_their_own_end_where_the_row_has_no_more() -> None:
    """An empty one between others is a fault; a row without any has no options."""
    columns = ("x", "y", "z")
    assert options_of({"x": 1, "y": "b", "z": None}, columns) == {"A": "1", "B": "b"}
    assert options_of({"x": "", "y": None}, columns) == {}
    with pytest.raises(ValueError, match=r"^no text in option B$"):
        options_of({"x": "a", "z": "c"}, columns)
    assert options_of({"x": "a"}, ()) == {}
    listed = ("q",)
    assert options_of({"q": "Which?\nA. x\nB. y"}, listed, "q") == {"A": "x", "B": "y"}
    assert options_of({"q": None}, listed, "q") == {}


@pytest.mark.parametrize(
    ("value", "form", "letter"),
    [
        ("b", "letter", "B"),
        (" (B). ", "letter", "B"),
        (0, "index", "A"),
        ("1.0", "index", "B"),
        (1, "number", "A"),
        ("2", "number", "B"),
        (" RED\n", "text", "A"),
        ("dark  Blue", "text", "B"),
    ],
)
def test_the_right_option_has_a_letter(value: Any, form: Any, letter: str) -> None:
    """Whatever form it is given in."""
    assert letter_of(value, {"A": "red", "B": "dark blue"}, form) == letter


@pytest.mark.parametrize(
    ("value", "form", "message"),
    [
        ("C", "letter", "the answer 'C' is no option among A, B"),
        (2, "index", "the answer 2 is no option among A, B"),
        (-1, "index", "the answer -1 is no option among A, B"),
        (0, "number", "the answer 0 is no option among A, B"),
        ("green", "text", "the answer 'green' is the text of 0 options"),
        ("red", "text", "the answer 'red' is the text of 2 options"),
    ],
)
def test_an_answer_that_names_no_single_option_is_a_fault(
    value: Any, form: Any, message: str
) -> None:
    """It is said with the letters that there are, or how many have that text."""
    with pytest.raises(ValueError, match=rf"^{message}$"):
        letter_of(value, {"A": "red", "B": "Red"}, form)


def test_true_answers_are_each_there_once() -> None:
    """Of every column, in order, stripped; a cell that is no text is a fault, and so is none at all."""
    assert references_of({"a": ["5 ", "five", None, " "], "b": 5, "c": "V"}, ["a", "b", "c"]) == [
        "5",
        "five",
        "V",
    ]
    with pytest.raises(ValueError, match=r"^no answer in a, b$"):
        references_of({"a": None, "b": [" "]}, ["a", "b"])
    with pytest.raises(ValueError, match=r"^a has \{'x': 1\}, not a text$"):
        references_of({"a": {"x": 1}}, ["a"])
    with pytest.raises(ValueError, match=r"^a has b'x', not a text$"):
        references_of({"a": [b"x"]}, ["a"])


def test_a_list_of_texts_that_is_written_out_is_alternatives() -> None:
    """A list of numbers in a text is one answer: nobody is right who says one of them."""
    assert references_of({"a": "['itc limited','ITC Limited']"}, ["a"]) == [
        "itc limited",
        "ITC Limited",
    ]
    assert references_of({"a": "[2, 3]"}, ["a"]) == ["[2, 3]"]


@pytest.mark.parametrize(
    ("value", "letters"),
    [(["b", "e"], ["B", "E"]), ("['e', 'b']", ["B", "E"]), ("b,e", ["B", "E"]), (["c"], ["C"])],
)
def test_several_right_options_are_a_set_of_letters(value: Any, letters: list[str]) -> None:
    """With `letters`; with `letter` they are a fault."""
    options = dict.fromkeys("abcde", "x")
    assert answers_of(value, options, "letters") == letters
    if len(letters) > 1:
        with pytest.raises(ValueError, match="no option among"):
            answers_of(value, options, "letter")


def test_an_answer_may_be_a_published_label() -> None:
    """ARC has labels of numbers in some rows and of letters in others."""
    assert letter_of("2", {"1": "x", "2": "y"}, "letter") == "B"
    assert letter_of("b", {"b": "x", "c": "y"}, "letter") == "B"
