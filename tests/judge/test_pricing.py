"""What judging costs."""

from __future__ import annotations

import pytest

from spiqa_tasks.judge.pricing import cost, estimated_tokens


def test_known_models_have_a_price() -> None:
    """666 questions of 100 tokens to gpt-4o at $2.50 and $10 a million tokens cost about 17 cents."""
    assert cost("gpt-4o", 66_600, 666) == pytest.approx(0.1665 + 0.00666)


def test_a_dated_name_costs_what_its_base_name_costs() -> None:
    """A dated version falls back to its family unless it has a price of its own."""
    assert cost("gpt-4o-2024-08-06", 1_000_000, 0) == 2.5
    assert cost("gpt-4o-2024-05-13", 1_000_000, 0) == 5.0


def test_an_unknown_model_has_no_price() -> None:
    """None rather than a guess."""
    assert cost("some-model", 1, 1) is None


def test_tokens_grow_with_the_text() -> None:
    """A quarter of the characters and a little for the message."""
    assert estimated_tokens("x" * 400) == 110
