"""What a server says is believed only where it can be true."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spiqa_tasks.judge.types import Verdict, failed, logprobs_fault, token_count

PREFIX = "the server's answer has "


def test_a_failed_verdict_has_a_reason_and_no_score() -> None:
    """The reason is printable; a verdict that no rule can read says what it was."""
    verdict = failed("HTTP 500\x1b[31m")
    assert (verdict.status, verdict.ok, verdict.text, verdict.top_logprobs) == ("judge_failed", False, "", ())
    assert verdict.reason is not None
    assert "\x1b" not in verdict.reason
    assert verdict.unread == verdict.reason
    assert Verdict("ok").ok
    said = Verdict("ok", "x" * 50)
    assert said.unread == f"the judge's answer {'x' * 40!r} is none of its rule's verdicts"


@pytest.mark.parametrize(
    ("pairs", "wanted", "fault"),
    [
        ([("Yes", -0.1), ("No", -3.0)], 2, None),
        ([("Yes", -0.1), ("No", -math.inf), ("a", -9999.0)], 2, None),
        ([("x" * 1000, 0.01), ("No", -5.0)], 2, None),
        ([("Yes", math.log(0.5)), ("No", math.log(0.5)), ("a", math.log(0.5))], 2, None),
        ([("Yes", math.log(0.5)), ("No", math.log(0.505))], 2, None),
        ([], 2, PREFIX + "no token log-probabilities"),
        ([(None, -0.1)], 1, PREFIX + "a token that is none: None"),
        ([("x" * 1001, -0.1)], 1, PREFIX + f"a token that is none: '{'x' * 39}"),
        ([("Yes", None)], 1, PREFIX + "a log-probability that is none: None"),
        ([("Yes", 0.0101)], 1, PREFIX + "a log-probability that is none: 0.0101"),
        ([("Yes", math.inf)], 1, PREFIX + "a log-probability that is none: inf"),
        ([("Yes", "9" * 50)], 1, PREFIX + f"a log-probability that is none: '{'9' * 39}"),
        ([("Yes", -0.1)], 5, PREFIX + "1 of 5 log-probabilities; use --top 2"),
        ([("Yes", -0.1), ("No", -3.0), ("a", -4.0)], 5, PREFIX + "3 of 5 log-probabilities; use --top 3"),
        ([("Yes", math.log(0.5)), ("No", math.log(0.52))], 2, PREFIX + "probabilities that add up to 1.02"),
        ([("Yes", -math.inf), ("No", -9999.0)], 2, PREFIX + "tokens of probability 0 alone"),
    ],
)
def test_log_probabilities_that_cannot_be_are_named(
    pairs: list[tuple[Any, Any]], wanted: int, fault: str | None
) -> None:
    """Forms, ranges, their number and their sum; rounding up a little above 0 and 1 is no fault."""
    assert logprobs_fault(pairs, wanted) == fault


@pytest.mark.parametrize(
    ("value", "count"),
    [(0, 0), (7, 7), (10**9, 10**9), (10**9 + 1, 0), (-1, 0), (True, 0), (1.0, 0), ("7", 0), (None, 0)],
)
def test_a_count_is_a_whole_number_that_may_be_true(value: Any, count: int) -> None:
    """Anything else counts nothing."""
    assert token_count(value) == count
