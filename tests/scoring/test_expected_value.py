"""The value of a judge's letters by their probabilities."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.expected_value import expected_value

VALUES = {"A": 1.0, "B": 0.5, "C": 0.0}


@given(st.lists(st.floats(-20, 0), min_size=3, max_size=3))
def test_it_is_the_mean_weighted_by_the_probabilities(logprobs: list[float]) -> None:
    """Whatever other tokens there are; it lies between the lowest and the highest value."""
    found = expected_value([*zip("ABC", logprobs, strict=True), ("The", -0.5)], VALUES)
    weights = [math.exp(each) for each in logprobs]
    assert found == pytest.approx((weights[0] + weights[1] / 2) / sum(weights))
    assert 0 <= (found or 0) <= 1


def test_forms_of_a_letter_add_up_and_others_do_not_count() -> None:
    """Blanks do not matter, case does: `a` begins a sentence."""
    tokens = [(" A", math.log(0.2)), ("A", math.log(0.2)), ("a", math.log(0.3)), ("C\n", math.log(0.1))]
    assert expected_value(tokens, VALUES) == pytest.approx(0.8)


def test_without_a_letter_there_is_no_value() -> None:
    """Nor where their probability is 0, or nothing was returned."""
    assert expected_value([("Yes", -0.1)], VALUES) is None
    assert expected_value([("A", -math.inf)], VALUES) is None
    assert expected_value([], VALUES) is None
