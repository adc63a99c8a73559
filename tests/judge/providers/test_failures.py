"""The classification of failures is pure, so it is tested without a server."""

import email.utils
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.providers.provider import LONGEST_WAIT, http_error, retry_after_seconds


def test_retry_after_is_read_in_all_its_forms() -> None:
    """Seconds and milliseconds are understood; nonsense means nothing."""
    assert retry_after_seconds({"retry-after": "7"}) == 7
    assert retry_after_seconds({"retry-after": "0.5"}) == 0.5
    assert retry_after_seconds({"retry-after-ms": "250", "retry-after": "7"}) == 0.25
    for nonsense in ("", "soon", "-3", "nan", "inf"):
        assert retry_after_seconds({"retry-after": nonsense}) is None
    assert retry_after_seconds({}) is None
    for endless in ("1e308", "9" * 300):
        assert retry_after_seconds({"retry-after": endless}) == LONGEST_WAIT
    assert retry_after_seconds({"retry-after": "0"}) == 0
    assert retry_after_seconds({"retry-after-ms": "0", "retry-after": "7"}) == 0
    assert retry_after_seconds({"retry-after-ms": "-1", "retry-after": "7"}) == 7


QUOTA = "the account's quota is used up: add credit, or choose another judge"
KEY = "check the judge's key (SPIQA_JUDGE_API_KEY) and what it may use"
LONG = "the prompt is too long for this server"
MODEL = "check the judge's model and address (SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL)"
ADDRESS = "set SPIQA_JUDGE_BASE_URL to the address that answers"


@pytest.mark.parametrize(
    ("status", "message", "codes", "remedy", "retryable"),
    [
        (429, "no money", ("insufficient_quota",), QUOTA, False),
        (429, "no money", ("other", "billing_not_active"), QUOTA, False),
        (429, "Request too large for gpt-4o", (), LONG, False),
        (429, "Sorry, request too large", (), None, True),
        (
            400,
            "Your credit balance is too low to access the API.",
            ("invalid_request_error",),
            QUOTA,
            False,
        ),
        (429, "Check your plan and billing details.", (), None, True),
        (413, "body", (), LONG, False),
        (401, "who are you", (), KEY, False),
        (403, "who are you", (), KEY, False),
        (404, "no such model", (), MODEL, False),
        (300, "moved", (), ADDRESS, False),
        (301, "moved", (), ADDRESS, False),
        (399, "moved", (), ADDRESS, False),
        (400, "bad", ("other",), None, False),
        (299, "odd", (), None, False),
        (500, "oops", ("server_error",), None, True),
    ],
)
def test_a_known_cause_comes_with_its_remedy(
    status: int, message: str, codes: tuple[str, ...], remedy: str | None, retryable: bool
) -> None:
    """What to do stands behind the server's words, and whether another try may help follows from
    status and codes.
    """
    error = http_error(status, message, codes=codes)
    assert error.reason == f"HTTP {status}: {message}" + (f"; {remedy}" if remedy else "")
    assert error.retryable == retryable


@given(value=st.text(max_size=40))
def test_no_retry_after_value_raises(value: str) -> None:
    """Whatever a server sends, the result is None or a number of seconds from 0."""
    seconds = retry_after_seconds({"retry-after": value})
    assert seconds is None or seconds >= 0


def test_a_date_is_a_wait() -> None:
    """As HTTP has it, beside seconds; one in the past means now."""
    soon = email.utils.formatdate(time.time() + 90, usegmt=True)
    assert retry_after_seconds({"retry-after": soon}) == pytest.approx(90, abs=5)
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after_seconds({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}) == LONGEST_WAIT
