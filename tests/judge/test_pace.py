"""The pace at which a server is asked, on a clock that the tests move."""

import itertools
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.pace import Outcome, Pace

# A server: the outcome of a request at some second.
Server = Callable[[float], Outcome]

# Seconds between the requests of a client that no limit holds back.
UNHURRIED = 0.01


def asked(pace: Pace, server: Server, until: float, since: float = 0.0) -> list[float]:
    """Ask a server whenever the pace allows it; return the seconds of the answered requests."""
    now = since
    answered = []
    while now < until:
        if wait := pace.take_turn(now):
            now += wait
            continue
        outcome = server(now)
        pace.came_back(now, now, outcome)
        if outcome == "answered":
            answered.append(now)
        if pace.rate is None:
            now += UNHURRIED
    return answered


def limited(rate: Callable[[float], float], burst: float) -> Server:
    """Return a server with a bucket of `burst` requests, refilled at some requests a second."""
    tokens, filled = burst, 0.0

    def answer(now: float) -> Outcome:
        nonlocal tokens, filled
        tokens = min(burst, tokens + (now - filled) * rate(now))
        filled = now
        if tokens < 1:
            return "refused"
        tokens -= 1
        return "answered"

    return answer


def counted(server: Server) -> tuple[Server, list[float]]:
    """Return the server, and a list that gets the seconds of all its requests."""
    requests: list[float] = []

    def answer(now: float) -> Outcome:
        requests.append(now)
        return server(now)

    return answer, requests


def per_second(times: list[float], since: float, until: float) -> float:
    """Return how many of some events happen a second."""
    return sum(since <= time < until for time in times) / (until - since)


@given(limit=st.floats(3, 60), burst=st.floats(2, 20))
def test_a_servers_limit_is_used_up_and_few_requests_are_refused(
    limit: float, burst: float
) -> None:
    """Of a bucket refilled at any rate nearly all is used, once found out, with few refusals
    above ten a second.
    """
    server, requests = counted(limited(lambda _: limit, burst))
    answered = asked(Pace(), server, until=150)

    accepted = per_second(answered, 30, 150)
    refused = per_second(requests, 30, 150) - accepted
    assert accepted > 0.95 * limit
    assert refused < (0.2 if limit > 10 else 0.4) * accepted


def test_a_limit_that_rises_is_used_up_within_ten_seconds() -> None:
    times = asked(Pace(), limited(lambda now: 10 if now < 60 else 40, burst=5), until=90)
    assert per_second(times, 50, 60) > 9.5
    assert per_second(times, 70, 90) > 38


def test_a_limit_that_falls_is_found_within_five_seconds() -> None:
    """Few requests are refused afterwards, though the rate was four times as high."""
    server, requests = counted(limited(lambda now: 40 if now < 60 else 10, burst=5))
    times = asked(Pace(), server, until=90)
    assert per_second(times, 65, 90) > 9.5
    assert per_second(requests, 65, 90) < 14


def test_a_server_that_refuses_by_chance_is_not_slowed_down_for() -> None:
    """Of 30% that are refused at any rate, a thousand a second are asked within five seconds."""
    rng = random.Random(0)
    pace = Pace()
    asked(pace, lambda _: "refused" if rng.random() < 0.3 else "answered", until=5)
    assert pace.rate is not None
    assert pace.rate > 1000


def test_no_request_is_held_back_where_none_is_refused() -> None:
    """Single failures, as of a bad connection, are no reason to ask less."""
    rng = random.Random(0)
    pace = Pace()
    asked(pace, lambda _: "failed" if rng.random() < 0.2 else "answered", until=5)
    assert pace.rate is None
    assert not pace.is_probing


def test_a_server_that_answers_nothing_gets_ever_fewer_single_requests() -> None:
    """After eight failures half a second passes, then half as much again, at most five seconds."""
    server, requests = counted(lambda _: "failed")
    pace = Pace()
    asked(pace, server, until=60)

    waits = [after - before for before, after in itertools.pairwise(requests[7:])]
    assert waits[:5] == pytest.approx([0.5, 0.5, 0.75, 1.125, 1.6875])
    assert max(waits) == waits[-1] == 5
    assert pace.is_probing


def test_the_seconds_that_a_server_asks_for_are_waited() -> None:
    """`Retry-After` counts for the first single request and for each later one."""
    pace = Pace()
    for _ in range(8):
        pace.came_back(10.0, 10.0, "failed", delay=20.0)
    assert pace.take_turn(10.0) == 20.0
    assert pace.take_turn(30.0) == 0.0

    pace.came_back(30.5, 30.0, "refused", delay=7.0)
    assert pace.take_turn(30.5) == 7.0


def test_after_an_outage_the_rate_is_what_it_was() -> None:
    server = limited(lambda _: 20, burst=5)
    pace = Pace()
    asked(pace, server, until=30)
    rate = pace.rate
    asked(pace, lambda _: "failed", until=40, since=30)
    assert pace.is_probing

    times = asked(pace, server, until=60, since=40)
    assert not pace.is_probing
    assert pace.rate is not None
    assert rate is not None
    assert abs(pace.rate / rate - 1) < 0.2
    assert per_second(times, 46, 60) > 19


def test_a_server_that_fails_in_its_first_epoch_is_asked_half_as_fast_afterwards() -> None:
    """A flood that brings a server down must not come back with it."""
    pace = Pace()
    pace.came_back(0.0, 0.0, "refused")
    assert pace.rate == 50
    for _ in range(8):
        pace.came_back(1.0, 1.0, "failed")
    assert pace.rate == 25

    pace.came_back(5.0, 5.0, "answered")
    assert pace.rate == 25
    assert not pace.is_probing


def test_outcomes_from_before_an_outage_count_no_longer() -> None:
    """Hundreds of requests are in flight when a server stops; their failures come in later."""
    pace = Pace()
    for _ in range(8):
        pace.came_back(1.0, 0.9, "failed")
    pace.came_back(2.0, 2.0, "answered")
    for _ in range(100):
        pace.came_back(3.0, 0.9, "failed")
    assert not pace.is_probing
    assert pace.take_turn(3.0) == 0.0
