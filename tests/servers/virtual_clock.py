"""An event loop whose clock jumps to the next thing to do, so that minutes of waiting take none."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Never waits: what would be waited is added to the clock."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("everything waits and nothing will ever happen")
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
    """Run to the end; return the result and how many seconds went by on the loop's clock."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main), loop.time()
    finally:
        loop.close()
