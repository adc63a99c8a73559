"""The options of a row are found wherever tables of answers have them."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.own.cells import row_options

RED_BLUE = {"A": "red", "B": "blue"}


@pytest.mark.parametrize(
    ("record", "options"),
    [
        ({"choices": RED_BLUE}, RED_BLUE),
        ({"options": ["red", "blue"]}, RED_BLUE),
        ({"options": "['red', 'blue']"}, RED_BLUE),
        ({"options": ["(A) red", "(B) blue"]}, RED_BLUE),
        ({"choices": {"B": "blue", "D": ""}}, {"B": "blue", "D": ""}),
        ({"choices": {"a": "red", "b": None}}, {"a": "red"}),
        ({"A": "red", "B": "blue", "C": None}, RED_BLUE),
        ({"question": "Which?\nA. red\nB. blue"}, RED_BLUE),
        ({"question": "Which?", "A": "red", "B": "blue"}, RED_BLUE),
        ({"question": "Which?"}, {}),
        ({"response": "B"}, {}),
        ({"options": None, "A": "red", "B": "blue"}, {}),
    ],
)
def test_options_are_where_their_column_says(record: dict[str, Any], options: dict[str, str]) -> None:
    """An object, a list, a column for each letter, or the question's text."""
    assert row_options(record) == options


def test_a_column_that_is_named_counts() -> None:
    """Instead of one with a usual name."""
    assert row_options({"options": ["x", "y"], "mine": RED_BLUE}, ["mine"]) == RED_BLUE
    assert row_options({"options": ["x", "y"], "one": "red", "two": "blue"}, ["one", "two"]) == RED_BLUE


@pytest.mark.parametrize("value", [7, "red", ["red"], {"A": "red", "a": "blue"}, {"one": "red"}])
def test_options_in_no_known_form_are_an_error(value: Any) -> None:
    """A number, a text that lists nothing, a single option, a letter twice."""
    with pytest.raises(ValueError, match=r"not a list|1 options|a letter twice"):
        row_options({"options": value})
