"""Work of an asyncio loop that is cheaper done together, in a thread of its own."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Output = TypeVar("Output")


class Batcher(Generic[Item, Output]):
    """Hands items that arrive while a batch runs to `run` together, at most `limit` at a time.

    `run` maps a list of items to as many outputs, in a daemon thread that starts with the first item; what it raises
    is raised for every item of the batch.
    """

    def __init__(self, run: Callable[[list[Item]], list[Output]], limit: int) -> None:
        self._run = run
        self._limit = limit
        self._inbox: queue.SimpleQueue[tuple[Item, asyncio.Future[Output]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def __call__(self, item: Item) -> Output:
        """The output for `item`, when its batch has run."""
        future: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._inbox.put((item, future))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="judge-batches", daemon=True)
            self._thread.start()
        return await future

    def close(self) -> None:
        """Let the thread end after what was handed in before."""
        self._inbox.put(None)

    def _work(self) -> None:
        while (first := self._inbox.get()) is not None:
            batch = [first]
            while len(batch) < self._limit and not self._inbox.empty():
                following = self._inbox.get()
                if following is None:
                    self._inbox.put(None)
                    break
                batch.append(following)
            self._run_batch([item for item, _ in batch], [future for _, future in batch])

    def _run_batch(self, items: list[Item], futures: list[asyncio.Future[Output]]) -> None:
        outputs: Sequence[Output | Exception]
        try:
            outputs = self._run(items)
        except Exception as error:
            outputs = [error] * len(items)
        loop = futures[0].get_loop()
        if not loop.is_closed():
            loop.call_soon_threadsafe(_deliver, futures, outputs)


def _deliver(futures: Sequence[asyncio.Future[Output]], outputs: Sequence[Output | Exception]) -> None:
    for future, output in zip(futures, outputs, strict=True):
        if future.done():
            continue
        if isinstance(output, Exception):
            future.set_exception(output)
        else:
            future.set_result(output)
