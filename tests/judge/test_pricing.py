"""What judging costs."""

from __future__ import annotations

import pytest

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.pricing import estimated_tokens, list_price, parse_price
from spiqa_tasks.judge.resolve import parse_judge


def test_known_models_have_a_price() -> None:
    """666 questions of 100 tokens to gpt-4o at $2.50 and $10 a million tokens cost about 17 cents."""
    assert parse_judge("openai:gpt-4o", environ={}).cost(66_600, 666) == pytest.approx(0.1665 + 0.00666)


def test_a_dated_name_costs_what_its_base_name_costs() -> None:
    """A dated version falls back to its family unless it has a price of its own; an unknown one has none."""
    assert list_price("gpt-4o-2024-08-06") == (2.5, 10.0)
    assert list_price("gpt-4o-2024-05-13") == (5.0, 15.0)
    assert list_price("some-model") is None


def test_a_price_of_ones_own_holds_where_none_is_listed() -> None:
    """At an address of one's own SPIQA_JUDGE_PRICE counts, whatever the model is called; a list price stays."""
    environ = {"SPIQA_JUDGE_PRICE": "0.10, 0.40"}
    own = parse_judge("openai:gpt-4o@http://127.0.0.1:1/v1", environ=environ)
    assert own.cost(1_000_000, 1_000_000) == pytest.approx(0.5)
    assert parse_judge("openai:gpt-4o@http://127.0.0.1:1/v1", environ={}).cost(1, 1) is None
    assert parse_judge("openai:gpt-4o", environ=environ).cost(1_000_000, 0) == 2.5


@pytest.mark.parametrize("text", ["1", "a,b", "-1,2", "1,-2", "1,inf", "inf,1", "nan,1", "1,2,3"])
def test_a_price_has_two_numbers(text: str) -> None:
    """Anything else is refused with the form that is expected."""
    with pytest.raises(JudgeError, match="PROMPT,COMPLETION"):
        parse_price(text)


def test_a_price_may_be_nothing() -> None:
    """A server of one's own costs nothing for what is asked or answered; without a text there is no price."""
    assert parse_price("0, 2.5") == (0.0, 2.5)
    assert parse_price("1,0") == (1.0, 0.0)
    assert parse_price(" ") is None


def test_tokens_grow_with_the_text() -> None:
    """A quarter of the characters, whole ones, and a little for the message."""
    assert estimated_tokens("x" * 400) == 110
    assert str(estimated_tokens("x" * 403)) == "110"
