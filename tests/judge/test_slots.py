"""How many requests are in flight, from how long answers take."""

import random

import pytest

from spiqa_tasks.judge.slots import Slots
from spiqa_tasks.judge.types import JudgeConfig


def slots(concurrency: int = 64, timeout: float = 60.0) -> Slots:
    return Slots(JudgeConfig("openai", "m", concurrency=concurrency, timeout=timeout))


def test_it_begins_with_eight_and_doubles_while_answers_take_no_longer() -> None:
    """Once for as many answers as are in flight, up to what is allowed."""
    found, now, limits = slots(), 0.0, []
    for _ in range(4):
        limits.append(found.limit)
        for _ in range(found.limit):
            found.answered(now + 1, now)
        now += 1
    assert limits == [8, 16, 32, 64]
    assert found.limit == 64
    assert slots(concurrency=3).limit == 3


def test_answers_that_differ_by_chance_are_no_queue() -> None:
    """A server whose answers take half a second to two has all its slots after a few of them."""
    draw, found = random.Random(0), slots()
    for number in range(400):
        found.answered(number + draw.lognormvariate(0, 0.5), number)
    assert found.limit == 64


@pytest.mark.parametrize("places", [1, 2])
def test_a_server_that_lets_requests_queue_gets_few_more(places: int) -> None:
    """Of one or two places, an answer takes as long as those before it together."""
    found, waiting = slots(), [0.0] * 8
    for now in range(1, 200):
        for _ in range(places):
            found.answered(now, waiting.pop(0))
        waiting += [float(now)] * (found.limit - len(waiting))
    assert found.limit == 8 * places


def test_it_falls_to_what_is_answered_in_a_quarter_of_the_timeout() -> None:
    """If a request waits for longer than that, and others are answered; else the server is
    silent.
    """
    found = slots()
    for number in range(4):
        found.answered(5.0 * (number + 1), 0.0)
    assert not found.shrink(now=10.0, asked_at=0.0, answers_before=0)
    assert found.shrink(now=20.0, asked_at=0.0, answers_before=0)
    assert found.limit == 3
    assert not found.shrink(now=80.0, asked_at=20.0, answers_before=4)
