"""The pace at which a server is asked, on a clock that the tests move."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.pace import ABOVE, EPOCH_REQUESTS, EPOCH_SECONDS, FASTER, FIRST_RATE, SEARCH, Pace


def limited(now: float = 0.0) -> Pace:
    """A pace that has just met its first refusal."""
    pace = Pace()
    pace.refused(now, 0.0, pace.epoch)
    return pace


def epoch_of(pace: Pace, now: float, refused: int, delay: float = 0.0) -> tuple[float, int]:
    """Make the requests of one epoch, the first so many of them refused; return when the next one began, and how many.

    The request that comes back with the next epoch is the first of that one.
    """
    epoch, made = pace.epoch, 0
    while True:
        now += pace.start_in(now)
        if pace.epoch != epoch:
            return now, made
        made += 1
        if made <= refused:
            pace.refused(now, delay, epoch)


def test_nothing_waits_before_the_first_refusal() -> None:
    """Any number of requests may be made at once."""
    pace = Pace()
    assert [pace.start_in(1.0) for _ in range(1000)] == [0.0] * 1000
    assert (pace.rate, pace.stopped_for(1.0)) == (None, 0.0)


def test_after_a_refusal_requests_are_spread_evenly() -> None:
    """Fifty a second: those that ask at one moment are told to start 20 ms after each other."""
    pace = limited(now=7.0)
    assert pace.rate == FIRST_RATE == 50
    assert [pace.start_in(7.0) for _ in range(5)] == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    assert pace.start_in(9.0) == 0.0


def test_refusals_of_requests_made_before_the_limit_was_met_count_once() -> None:
    """A burst of a thousand that is refused begins one epoch at the first rate, whatever comes back after it."""
    pace = limited()
    for _ in range(999):
        pace.refused(0.1, 30.0, 0)
    assert (pace.rate, pace.epoch) == (FIRST_RATE, 1)
    epoch_of(pace, 0.1, refused=0)
    assert pace.rate == pytest.approx(FIRST_RATE * SEARCH)


def test_an_epoch_is_half_a_second_and_eight_requests_at_least() -> None:
    """A fast one lasts as long as that, a slow one until enough is known."""
    pace = limited()
    now, made = epoch_of(pace, 0.0, refused=0)
    assert (now, made) == (pytest.approx(EPOCH_SECONDS), math.ceil(EPOCH_SECONDS * FIRST_RATE))
    pace = limited()
    assert [pace.start_in(place * 2.0) for place in range(EPOCH_REQUESTS)] == [0.0] * EPOCH_REQUESTS
    assert pace.epoch == 1
    pace.start_in(EPOCH_REQUESTS * 2.0)
    assert pace.epoch == 2


def test_without_refusals_the_rate_grows_fast_until_the_limit_was_met() -> None:
    """By half each epoch, and by a tenth once a limit has shown."""
    pace, now = limited(), 0.0
    for _ in range(3):
        now, _ = epoch_of(pace, now, refused=0)
    assert pace.rate == pytest.approx(FIRST_RATE * SEARCH**3)
    now, _ = epoch_of(pace, now, refused=1)
    before = pace.rate
    assert before is not None
    epoch_of(pace, now, refused=0)
    assert pace.rate == pytest.approx(before * FASTER)


def test_the_rate_follows_what_was_accepted() -> None:
    """Of 25 requests in half a second 5 are refused: 40 a second were accepted, and a little more is asked for."""
    pace = limited()
    now, made = epoch_of(pace, 0.0, refused=5)
    assert made == 25
    assert pace.rate == pytest.approx(ABOVE * 20 / now)


def test_refusals_alone_stop_everything_for_as_long_as_the_server_asks() -> None:
    """Half the rate after a stop of 3 seconds, in which every request is told to wait for its end."""
    pace = limited()
    now, _ = epoch_of(pace, 0.0, refused=10**6, delay=3.0)
    stopped = now - 3.0
    assert pace.rate == FIRST_RATE / 2
    assert pace.stopped_for(stopped) == pytest.approx(3.0)
    assert pace.stopped_for(stopped + 2.0) == pytest.approx(1.0)
    assert pace.stopped_for(now) == 0.0
    assert pace.start_in(stopped + 1.0) == pytest.approx(2.0 + 2 / FIRST_RATE)


def test_requests_on_their_way_do_not_count_as_accepted_where_all_others_are_refused() -> None:
    """One of 25 without an answer yet halves the rate; five of them are a share of its own."""
    for refused, rate in ((24, FIRST_RATE / 2), (20, ABOVE * 5 / EPOCH_SECONDS)):
        pace = limited()
        now, made = epoch_of(pace, 0.0, refused=refused)
        assert (made, now) == (25, pytest.approx(EPOCH_SECONDS))
        assert pace.rate == pytest.approx(rate)


def test_a_server_that_refuses_everything_for_a_while_is_soon_asked_as_before() -> None:
    """In five seconds after three of refusals, one request of each epoch still on its way, more than 25 are made."""
    pace, now, made = limited(), 0.0, 0
    while now < 8:
        epoch = pace.epoch
        now += pace.start_in(now)
        if now < 3 and pace.epoch == epoch:
            pace.refused(now, 0.3, epoch)
        made += now >= 3
    assert made > 25


@given(limit=st.floats(5, 60), burst=st.floats(2, 20))
def test_a_servers_limit_is_used_up_and_few_requests_are_refused(limit: float, burst: float) -> None:
    """Of a bucket refilled at any rate nearly all is used, once found out, at one refusal for about twelve answers."""
    pace, now, tokens, filled = limited(), 0.0, burst, 0.0
    accepted = refused = 0
    while now < 90:
        now += pace.start_in(now)
        tokens, filled = min(burst, tokens + (now - filled) * limit), now
        if tokens >= 1:
            tokens -= 1
            accepted += now >= 30
        else:
            pace.refused(now, 0.1, pace.epoch)
            refused += now >= 30
    assert accepted / 60 > 0.95 * limit
    assert refused < 0.12 * accepted
