"""Which tries count, when a test question comes first, and when a judge is given up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.patience import FIRST_TRIES, Job, Patience
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.types import JudgeRequest, RetryPolicy

DOWN = RequestError("down", retryable=True)


def job() -> Job:
    return Job(0, "key", JudgeRequest("p"), first_asked=0.0)


def fail(patience: Patience, of: Job, now: float, *, of_test: bool = False) -> None:
    of.tries += 1
    patience.failed(of, DOWN, now, now - 1, of_test=of_test)


def test_the_first_three_tries_count_and_later_ones_behind_a_test_question() -> None:
    """One that is not answered takes the later ones back: the judge was at fault."""
    patience, one = Patience(RetryPolicy()), job()
    for _ in range(FIRST_TRIES):
        assert not patience.needs_test(one, is_probing=False)
        fail(patience, one, 1.0)
    assert patience.needs_test(one, is_probing=False)
    one.is_tested = True
    assert not patience.needs_test(one, is_probing=False)
    fail(patience, one, 2.0)
    assert one.counted == FIRST_TRIES + 1
    fail(patience, one, 3.0, of_test=True)
    assert one.counted == FIRST_TRIES


def test_a_wait_grows_only_while_nobody_is_answered() -> None:
    """An answer to anybody begins it anew."""
    patience, one = Patience(RetryPolicy(base=1.0, cap=64.0)), job()
    delays = []
    for now in (1.0, 2.0, 3.0):
        fail(patience, one, now)
        delays.append(patience.delay(one, None))
    assert 0.5 <= delays[0] <= 1
    assert 2 <= delays[2] <= 4
    patience.answered(3.5)
    fail(patience, one, 4.0)
    assert 0.5 <= patience.delay(one, None) <= 1


def test_a_judge_is_given_up_after_so_long_without_an_answer() -> None:
    """Counted from the last answer, or the first request that failed; any answer ends it."""
    patience, one = Patience(RetryPolicy(patience=10.0)), job()
    patience.answered(100.0)
    fail(patience, one, 105.0)
    assert patience.seconds_left(105.0) == pytest.approx(9.0)  # asked at 104
    assert patience.reason_to_give_up(113.0) is None
    # what to do about the failure stands at the end, as in each reason
    assert str(patience.reason_to_give_up(114.0)).startswith(
        "the judge has answered nothing for 10 s and last failed with "
    )
    patience.answered(114.5)
    assert patience.reason_to_give_up(1000.0) is None


def test_a_longer_wait_than_the_patience_stops_everything() -> None:
    """As does whoever interrupts."""
    patience, one = Patience(RetryPolicy(patience=10.0)), job()
    busy = RequestError("busy", retryable=True, refused=True, retry_after=11.0)
    patience.failed(one, busy, 1.0, 0.0, of_test=False)
    assert "asks for 11 s of patience" in str(patience.reason_to_give_up(1.0))
    patience.stop(math.inf)
    assert patience.reason_to_give_up(1e9) is not None


@given(failures=st.integers(1, 5000), retry_after=st.none() | st.floats(0, 100))
def test_a_wait_stays_within_its_bounds(failures: int, retry_after: float | None) -> None:
    """It doubles up to the cap, and jitter takes off at most half; a tenth of it comes on top of
    what the server asked for, so that requests which were told the same do not come back together.
    """
    patience, one = Patience(RetryPolicy(base=0.5, cap=30)), job()
    one.failures_in_a_row = failures
    full = min(30.0, 0.5 * 2 ** min(failures - 1, 20))
    wait = patience.delay(one, retry_after)
    if retry_after is None:
        assert full / 2 <= wait <= full
    else:
        assert full / 20 - 1e-9 <= wait - retry_after <= full / 10 + 1e-9
