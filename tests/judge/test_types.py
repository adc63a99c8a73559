"""What a server says is believed only where it can be true."""

import math
from typing import Any

import pytest

from spiqa_tasks.judge.providers.openai import most_likely
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.types import Verdict, failed

PREFIX = "the server's answer has "


def test_a_failed_verdict_has_a_reason_and_no_score() -> None:
    """The reason is printable; a verdict that no rule can read says what it was."""
    verdict = failed("HTTP 500\x1b[31m")
    assert (verdict.ok, verdict.text, verdict.top_logprobs) == (False, "", ())
    assert verdict.reason is not None
    assert "\x1b" not in verdict.reason
    assert verdict.why_no_score == verdict.reason
    assert Verdict().ok
    said = Verdict("x" * 50)
    assert said.why_no_score == f"the judge's answer {'x' * 40!r} is no verdict of its rule"


@pytest.mark.parametrize(
    ("pairs", "wanted", "fault"),
    [
        ([("Yes", -0.1), ("No", -3.0)], 2, None),
        ([("Yes", -0.1), ("No", -math.inf), ("a", -9999.0)], 2, None),
        ([("x" * 1000, 0.01), ("No", -5.0)], 2, None),
        ([("Yes", math.log(0.5)), ("No", math.log(0.5)), ("a", math.log(0.5))], 2, None),
        ([("Yes", math.log(0.5)), ("No", math.log(0.505))], 2, None),
        ([(None, -0.1)], 1, PREFIX + "a token that is none: None"),
        ([("x" * 1001, -0.1)], 1, PREFIX + f"a token that is none: '{'x' * 39}"),
        ([("Yes", None)], 1, PREFIX + "a log-probability that is none: None"),
        ([("Yes", 0.0101)], 1, PREFIX + "a log-probability that is none: 0.0101"),
        ([("Yes", math.inf)], 1, PREFIX + "a log-probability that is none: inf"),
        ([("Yes", "9" * 50)], 1, PREFIX + f"a log-probability that is none: '{'9' * 39}"),
        ([("Yes", -0.1)], 5, None),
        (
            [("Yes", math.log(0.5)), ("No", math.log(0.52))],
            2,
            PREFIX + "probabilities that add up to 1.02",
        ),
        ([("Yes", -math.inf), ("No", -9999.0)], 2, PREFIX + "tokens of probability 0 alone"),
    ],
)
def test_log_probabilities_that_cannot_be_are_named(
    pairs: list[tuple[Any, Any]], wanted: int, fault: str | None
) -> None:
    """Forms, ranges, and their sum; rounding up a little above 0 and 1 is no fault."""
    if fault is None:
        assert len(most_likely(pairs, wanted)) == min(wanted, len(pairs))
        return
    with pytest.raises(RequestError) as error:
        most_likely(pairs, wanted)
    assert (error.value.reason, error.value.retryable) == (fault, False)
