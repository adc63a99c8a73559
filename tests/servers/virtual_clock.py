"""An event loop whose clock jumps to the next timer, so that minutes of waiting take no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """A selector that adds the time to wait to its clock instead of waiting."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("every coroutine waits, and no timer is set")
        self.now += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop for coroutines that use no threads and no sockets."""

    def __init__(self) -> None:
        self.clock = _Selector()
        super().__init__(self.clock)

    def time(self) -> float:
        """Return the seconds since the loop was made."""
        return self.clock.now


def run_virtually(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Run a coroutine to its end; return its result and the seconds on the loop's clock."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main), loop.time()
    finally:
        loop.close()
