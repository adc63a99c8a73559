"""The pace at which a server is asked, on a clock that the tests move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.pace import (
    ABOVE,
    EPOCH_REQUESTS,
    EPOCH_SECONDS,
    FAILURES,
    FASTER,
    FASTEST,
    FIRST_RATE,
    LONGEST_EPOCH,
    PROBES,
    RAREST,
    SLOWEST,
    Pace,
)


def limited(now: float = 0.0) -> Pace:
    """A pace that has just met its first refusal."""
    pace = Pace()
    pace.came_back(now, pace.ticket, "refused")
    return pace


def probing(now: float = 0.0, delay: float = 0.0) -> Pace:
    """A pace after eight failures in a row, without a limit."""
    pace = Pace()
    for _ in range(FAILURES):
        pace.came_back(now, pace.ticket, "failed", delay)
    return pace


def started(pace: Pace, now: float, until: float) -> list[float]:
    """When requests are made by somebody who always wants to, none of which comes back."""
    times = []
    while now < until:
        wait = pace.start_in(now)
        times += [] if wait else [now]
        now += wait or 1e-9
    return times


def epoch_of(pace: Pace, now: float, refused: int = 0) -> tuple[float, int]:
    """Make the requests of one epoch, so many of them refused, here and there; return when it ended, and how many."""
    ticket, made = pace.ticket, 0
    while pace.ticket == ticket:
        wait = pace.start_in(now)
        made += not wait and pace.ticket == ticket
        now += wait and wait + 1e-9  # a clock goes on
    for place in range(made):
        is_refused = place * refused % made < refused
        pace.came_back(now, ticket, "refused" if is_refused else "answered")
    return now, made


def test_nothing_waits_before_the_first_refusal() -> None:
    """Any number of requests may be made at once, whatever fails otherwise."""
    pace = Pace()
    for outcome in ("answered", *["failed"] * (FAILURES - 1), "answered", *["failed"] * (FAILURES - 1)):
        assert [pace.start_in(1.0) for _ in range(100)] == [0.0] * 100
        pace.came_back(1.0, pace.ticket, outcome)  # type: ignore[arg-type]
    assert (pace.rate, pace.probing) == (None, False)


def test_after_a_refusal_requests_are_spread_evenly() -> None:
    """Fifty a second, one each 20 ms; who asks too early is told for how long."""
    pace = limited(now=7.0)
    assert pace.rate == FIRST_RATE == 50
    assert started(pace, 7.0, 7.07) == pytest.approx([7.0, 7.02, 7.04, 7.06], abs=1e-6)
    assert pace.start_in(7.07) == pytest.approx(0.01, abs=1e-6)


def test_refusals_of_requests_made_before_the_limit_was_met_count_once() -> None:
    """A burst of a thousand that is refused begins one epoch at the first rate, whatever comes back after it."""
    pace = Pace()
    for _ in range(1000):
        pace.came_back(0.1, 1, "refused", 30.0)
    assert (pace.rate, pace.probing, pace.start_in(0.1)) == (FIRST_RATE, False, 0.0)


def test_an_epoch_is_half_a_second_and_eight_requests_but_no_longer_than_three_seconds() -> None:
    """A fast one lasts as long as that, a slow one until enough is known."""
    now, made = epoch_of(limited(), 0.0)
    assert (now, made) == (pytest.approx(EPOCH_SECONDS, abs=0.03), pytest.approx(EPOCH_SECONDS * FIRST_RATE, abs=1))
    pace = limited()
    pace.rate = 4.0
    now, made = epoch_of(pace, 0.0)
    assert (now, made) == (pytest.approx(EPOCH_REQUESTS / 4, abs=0.03), EPOCH_REQUESTS)
    pace.rate = 1.0
    assert epoch_of(pace, now)[0] - now == pytest.approx(LONGEST_EPOCH, abs=0.03)


def test_without_refusals_the_rate_grows() -> None:
    """By half each epoch, by a tenth once a limit has shown, then faster again; no faster than requests are made."""
    pace, now = limited(), 0.0
    for _ in range(3):
        before = pace.rate
        now, _ = epoch_of(pace, now)
        assert pace.rate == pytest.approx(before * FASTEST, rel=0.05)  # type: ignore[operator]
    now, _ = epoch_of(pace, now, refused=1)
    for factor in (FASTER, 1.2, 1.4, FASTEST, FASTEST):
        before = pace.rate
        now, _ = epoch_of(pace, now)
        assert pace.rate == pytest.approx(before * factor, rel=0.05)  # type: ignore[operator]
    pace.rate = 1e6
    ticket = pace.ticket
    for place in range(EPOCH_REQUESTS):
        assert pace.start_in(now + place * 0.1) == 0.0
    pace.start_in(now + 1.0)
    for _ in range(EPOCH_REQUESTS):
        pace.came_back(now + 1.0, ticket, "answered")
    assert pace.rate == pytest.approx(EPOCH_REQUESTS * FASTEST)


def test_the_rate_follows_what_was_accepted() -> None:
    """Of 25 requests in half a second 5 are refused: 40 a second were accepted, and a little more is asked for."""
    pace = limited()
    now, made = epoch_of(pace, 0.0, refused=5)
    assert pace.rate == pytest.approx(ABOVE * (made - 5) / now)
    pace = limited()
    pace.rate = 1.0
    epoch_of(pace, now, refused=2)
    assert pace.rate == SLOWEST


def test_refusals_that_do_not_become_rarer_are_not_followed() -> None:
    """Two fifths are refused at 50 a second and at 32 alike: then 75 a second are asked, and not 21."""
    pace = limited()
    now, made = epoch_of(pace, 0.0, refused=10)
    asked = made / now
    assert pace.rate == pytest.approx(ABOVE * (made - 10) / now, rel=0.1)  # the last ones do not count
    epoch_of(pace, now, refused=6)
    assert pace.rate == pytest.approx(FASTEST * asked)


def test_a_limit_that_is_met_is_followed() -> None:
    """As many are accepted at 32 a second as at 50: then no more are asked."""
    pace = limited()
    now, made = epoch_of(pace, 0.0, refused=10)
    accepted = (made - 10) / now
    until, made = epoch_of(pace, now, refused=1)
    assert (made - 1) / (until - now) == pytest.approx(accepted, rel=0.1)
    assert pace.rate == pytest.approx(ABOVE * accepted, rel=0.1)


def test_an_epoch_is_judged_when_its_requests_are_back() -> None:
    """What is sent meanwhile has the same rate and does not count."""
    pace = limited()
    ticket = pace.ticket
    made = len(started(pace, 0.0, 2.0)) // 4
    assert (pace.rate, pace.ticket == ticket) == (FIRST_RATE, False)
    for place in range(made):
        pace.came_back(2.0, ticket, "refused" if place % 5 == 4 else "answered")
    assert pace.rate == pytest.approx(ABOVE * 0.8 * FIRST_RATE, rel=0.1)


def test_eight_failures_in_a_row_leave_single_requests() -> None:
    """Half a second apart at first, five seconds in the end, however long it takes."""
    times = started(probing(), 0.0, 300.0)
    gaps = [later - earlier for earlier, later in zip([0.0, *times], times, strict=False)]
    assert gaps[:3] == pytest.approx([PROBES, PROBES, PROBES * 1.5], abs=1e-6)
    assert all(gap <= RAREST + 1e-6 for gap in gaps)
    assert 60 < len(times) < 70


def test_the_server_may_ask_for_more_patience() -> None:
    """A `Retry-After` puts the next single request off."""
    pace = probing(delay=20.0)
    assert pace.start_in(0.0) == 20.0
    assert pace.start_in(20.0) == 0.0
    pace.came_back(21.0, pace.ticket, "refused", 30.0)
    assert pace.start_in(21.0) == 30.0


def test_an_answer_ends_it_and_a_relapse_halves_the_rate() -> None:
    """The rate is what it was; where the server fails again at once it is less, down to one a second."""
    pace = limited()
    for rate in (25.0, 12.5, 6.25, 3.125, 1.5625, SLOWEST, SLOWEST):
        for _ in range(FAILURES):
            pace.came_back(1.0, pace.ticket, "refused")
        assert pace.probing
        pace.came_back(1.0, 1, "answered")  # of a request from before
        assert pace.probing
        pace.came_back(1.0, pace.ticket, "answered")
        assert (pace.probing, pace.rate) == (False, rate)


def test_a_rate_that_has_held_is_kept_over_an_outage() -> None:
    """Half of it is only for a server that fails in its first epoch."""
    pace = limited()
    now, _ = epoch_of(pace, 0.0)
    rate = pace.rate
    for _ in range(FAILURES):
        pace.came_back(now, pace.ticket, "refused")
    pace.came_back(now, pace.ticket, "answered")
    assert pace.rate == rate


@given(limit=st.floats(3, 60), burst=st.floats(2, 20))
def test_a_servers_limit_is_used_up_and_few_requests_are_refused(limit: float, burst: float) -> None:
    """Of a bucket refilled at any rate nearly all is used, once found out, with few refusals above ten a second."""
    pace, now, tokens, filled = limited(), 0.0, burst, 0.0
    accepted = refused = 0
    while now < 150:
        if wait := pace.start_in(now):
            now += wait
            continue
        ticket = pace.ticket
        tokens, filled = min(burst, tokens + (now - filled) * limit), now
        accepts = tokens >= 1
        tokens -= accepts
        accepted += accepts and now >= 30
        refused += not accepts and now >= 30
        pace.came_back(now, ticket, "answered" if accepts else "refused")
    assert accepted / 120 > 0.95 * limit
    assert refused < (0.2 if limit > 10 else 0.4) * accepted


def test_fewer_requests_have_to_be_accepted_more_often() -> None:
    """Where a quarter is asked, half of what was accepted or less tells that refusals are no matter of the rate."""
    pace = limited()
    pace._fastest = (64.0, 32.0)
    assert not pace._is_refused_anyway(44.8, 1.0)
    assert pace._fastest == (64.0, 32.0)
    assert pace._is_refused_anyway(16.0, 15.9)
    assert pace._fastest == (64.0, 32.0)
    assert not pace._is_refused_anyway(16.0, 16.0)
    assert pace._fastest == (16.0, 16.0)
    assert not pace._is_refused_anyway(16.0, 3.0)
    assert pace._fastest == (16.0, 3.0)


def test_a_request_that_is_late_by_little_does_not_slow_the_next_one_down() -> None:
    """Two hundredths of a second; time that was lost otherwise is not made up for."""
    pace = limited()
    pace.rate = 10.0
    assert pace.start_in(0.015) == 0.0
    assert pace.start_in(0.015) == pytest.approx(0.085)
    assert pace.start_in(5.0) == 0.0
    assert pace.start_in(5.0) == pytest.approx(0.08)
