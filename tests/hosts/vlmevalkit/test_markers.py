"""How the host marks an answer that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.hosts.vlmevalkit.markers import FAILURE_MARKERS, LONGEST_REASON, is_request_failure, response_of


@pytest.mark.parametrize(
    "text", ["Failed to obtain answer via API.", "Fail to obtain answer", "\n Failed to obtain answer via API. no"]
)
def test_markers_are_failures_with_the_hosts_words(text: str) -> None:
    """The response has no text and says why."""
    assert is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == ("", text)


@pytest.mark.parametrize("text", ["", "A", "I failed to obtain answer.", "It says: Failed to obtain answer via API."])
def test_a_marker_within_an_answer_is_an_answer(text: str) -> None:
    """Only the beginning counts, and an empty answer is one."""
    assert not is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == (text, None)


@given(st.sampled_from(FAILURE_MARKERS), st.text(max_size=1000))
def test_a_long_reason_is_cut(marker: str, rest: str) -> None:
    """It is the beginning of the host's words, of 300 characters at most."""
    failure = response_of(marker + rest).failure
    assert failure is not None
    assert (marker + rest).startswith(failure)
    assert len(failure) == min(len(marker + rest), LONGEST_REASON)
    assert LONGEST_REASON == 300
