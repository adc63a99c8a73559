"""How the host marks an answer that is none."""

from __future__ import annotations

import pytest

from spiqa_tasks.hosts.lmms_eval.markers import LONGEST_REASON, is_request_failure, response_of


@pytest.mark.parametrize("text", ["[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom", "\n [LMMS_EVAL_BUDGET_EXCEEDED]"])
def test_markers_are_failures_with_the_hosts_words(text: str) -> None:
    """The response has no text and says why."""
    assert is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == ("", text)


def test_a_marker_within_an_answer_is_an_answer() -> None:
    """Only the beginning counts, and figures in the order shown come along."""
    text = "It prints [LMMS_EVAL_REQUEST_FAILED]."
    assert not is_request_failure(text)
    assert (response_of(text, ("a",)).text, response_of(text, ("a",)).failure) == (text, None)
    assert response_of(text, ("a",)).shown == ("a",)


def test_a_long_reason_is_cut() -> None:
    """A server's page of HTML does not swell every sample."""
    failure = response_of("[LMMS_EVAL_REQUEST_FAILED" + "x" * 10_000).failure
    assert failure is not None
    assert len(failure) == LONGEST_REASON == 300
