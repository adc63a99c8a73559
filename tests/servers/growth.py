"""Check that a text is read in linear time, whatever the speed of the machine."""

import gc
import time
from collections.abc import Callable

LONG = 200_000
UNMEASURABLE = 0.1
"""Seconds: a quadratic function takes longer for `LONG` characters, and shorter times have no
meaningful ratio.
"""


def is_linear(
    read: Callable[[str], object], unit: str, start: str = "", end: str = "", long: int = LONG
) -> bool:
    """Return whether `read` takes linear time for a repeated `unit` between `start` and `end`.

    `long` characters must take less than 12 times as long as a quarter of them: linear is 4 times,
    quadratic 16.
    """

    def seconds(length: int) -> float:
        text = start + unit * (length // len(unit)) + end
        gc.disable()  # Objects of thousands of tests would be collected within the measured time.
        try:
            began = time.process_time()
            read(text)
            return time.process_time() - began
        finally:
            gc.enable()

    if seconds(long) < UNMEASURABLE:
        return True

    whole = min(seconds(long) for _ in range(3))
    quarter = max(seconds(long // 4) for _ in range(2))
    return whole < UNMEASURABLE or whole < 12 * quarter
