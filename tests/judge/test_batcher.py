"""Items of a loop that are worked off together in a thread."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from spiqa_tasks.judge.batcher import Batcher


class Squares:
    """Squares numbers, keeps the batches, waits in the first one for `go`; a batch with a 13 fails."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go = threading.Event()
        self.threads: set[threading.Thread] = set()

    def __call__(self, items: list[int]) -> list[int]:
        """The squares of a batch."""
        self.batches.append(items)
        self.threads.add(threading.current_thread())
        self.go.wait(10)
        if 13 in items:
            raise ZeroDivisionError("thirteen")
        return [item * item for item in items]


async def _all(batcher: Batcher[int, int], squares: Squares, items: list[int]) -> list[int | BaseException]:
    """Hand in the first item, the others while it is worked on, and wait for all."""
    first = asyncio.ensure_future(batcher(items[0]))
    while not squares.batches:
        await asyncio.sleep(0.001)
    others = [asyncio.ensure_future(batcher(item)) for item in items[1:]]
    await asyncio.sleep(0)
    squares.go.set()
    return await asyncio.gather(first, *others, return_exceptions=True)


def test_what_arrives_while_a_batch_runs_goes_together_up_to_the_limit() -> None:
    """Eight items after the first one make batches of three, three and two, and each gets its own output."""
    squares = Squares()
    batcher = Batcher(squares, 3)
    assert asyncio.run(_all(batcher, squares, list(range(9)))) == [place**2 for place in range(9)]
    assert squares.batches == [[0], [1, 2, 3], [4, 5, 6], [7, 8]]
    batcher.close()


def test_an_error_is_raised_for_every_item_of_its_batch_alone() -> None:
    """The batches before and after it have their outputs."""
    squares = Squares()
    batcher = Batcher(squares, 2)
    found = asyncio.run(_all(batcher, squares, [1, 2, 13, 4]))
    assert squares.batches == [[1], [2, 13], [4]]
    assert [found[0], found[3]] == [1, 16]
    assert [str(error) for error in found[1:3]] == ["thirteen"] * 2
    batcher.close()


def test_an_item_that_nobody_waits_for_any_more_disturbs_no_other() -> None:
    """Of a batch of three the second is cancelled; the others get their outputs."""
    squares = Squares()
    batcher = Batcher(squares, 10)

    async def run() -> list[int]:
        tasks = [asyncio.ensure_future(batcher(item)) for item in (5, 6, 7)]
        await asyncio.sleep(0.01)
        tasks[1].cancel()
        squares.go.set()
        return [await tasks[0], await tasks[2]]

    assert asyncio.run(run()) == [25, 49]
    batcher.close()


def test_closing_lets_what_was_handed_in_end_and_then_the_thread() -> None:
    """One thread does all the work and is gone soon after; without work there never was one."""
    before = threading.active_count()
    squares = Squares()
    batcher = Batcher(squares, 2)
    assert threading.active_count() == before

    async def run() -> list[int]:
        tasks = [asyncio.ensure_future(batcher(item)) for item in range(4)]
        await asyncio.sleep(0)
        batcher.close()
        squares.go.set()
        return [await task for task in tasks]

    assert asyncio.run(run()) == [0, 1, 4, 9]
    (thread,) = squares.threads
    assert thread.daemon
    thread.join(10)
    assert not thread.is_alive()


def test_a_loop_that_has_ended_harms_nothing() -> None:
    """What was left behind by one loop is dropped, and the next loop is served by the same thread."""
    squares = Squares()
    batcher = Batcher(squares, 4)

    async def leave() -> None:
        task = asyncio.ensure_future(batcher(3))
        await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(leave())
    squares.go.set()
    assert asyncio.run(batcher(8)) == 64
    batcher.close()


@pytest.mark.parametrize("limit", [1, 4])
def test_the_loop_goes_on_while_a_batch_runs(limit: int) -> None:
    """A slow batch holds up no other task of the loop."""
    batcher = Batcher(lambda items: [time.sleep(0.2)] * len(items), limit)

    async def run() -> int:
        task = asyncio.ensure_future(batcher(0))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0.01)
        return turns

    assert asyncio.run(run()) > 5
    batcher.close()
