"""Whether reading a text takes time that grows with its length alone; no limit in seconds, which
machines differ in.
"""

import gc
import time
from collections.abc import Callable

LONG = 200_000
UNMEASURABLE = 0.1
"""Seconds in which nothing quadratic reads so many characters, and below which a ratio says
little.
"""


def is_linear(
    read: Callable[[str], object], unit: str, start: str = "", end: str = "", long: int = LONG
) -> bool:
    """Return whether `long` characters of a repeated `unit` take less than twelve times a quarter
    of them.

    Four times is linear, sixteen times quadratic.
    """

    def seconds(length: int) -> float:
        text = start + unit * (length // len(unit)) + end
        gc.disable()  # collecting what thousands of tests left behind is no part of reading
        try:
            began = time.process_time()
            read(text)
            return time.process_time() - began
        finally:
            gc.enable()

    if seconds(long) < UNMEASURABLE:
        return True
    whole = min(seconds(long) for _ in range(3))
    return whole < UNMEASURABLE or whole < 12 * max(seconds(long // 4), seconds(long // 4))
