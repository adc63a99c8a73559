"""Text of files and servers, made safe for a terminal."""

import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds after which a command says what it is doing (until then a person does not wonder), and how
# far it is.
SLOW, FIRST = 1.0, 10.0


def printable(text: str) -> str:
    """Return the text with blanks for control and format characters, which steer a terminal or are invisible.

    Line feeds and tabs stay, and so does what joins letters and emoji (U+200C, U+200D).
    """
    if text.isprintable():
        return text
    return "".join(
        " " if unicodedata.category(c) in _STEERING and c not in _KEPT else c for c in text
    )


def say(*lines: str, program: str = "spiqa-tasks") -> None:
    """Print remarks on stderr, each after the name of the program."""
    for line in lines:
        print(f"{program}: {printable(line)}", file=sys.stderr)


@contextmanager
def said_if_slow(doing: str) -> Iterator[None]:
    """Say on stderr what the block is doing, once, if it takes longer than a second."""
    timer = threading.Timer(SLOW, say, [f"{doing} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def progress(doing: str, total: int = 0) -> Iterator[Callable[..., None]]:
    """Say on stderr what the block is doing, as `said_if_slow`, and then how far it is.

    Yields a function of how many are done and, if `total` is not known before, of how many there are. On a terminal it
    moves a bar; else it says `n of N` after ten seconds, and whenever that time has doubled.
    """
    from tqdm import tqdm

    started, due = time.monotonic(), FIRST
    bar = tqdm(
        total=total, desc=doing, file=sys.stderr, leave=False, delay=SLOW, disable=None
    )  # None: no terminal

    def show(done: int, of: int = total) -> None:
        nonlocal due
        bar.total = of
        bar.update(done - bar.n)
        if bar.disable and (passed := time.monotonic() - started) >= due:
            due = 2 * passed
            say(f"{doing}: {done} of {of}")

    with said_if_slow(doing), bar:
        yield show


def counted(number: int, one: str, many: str = "") -> str:
    """Return the number with what it counts: `1 question`, `2 questions`; `many` where an s is not enough."""
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_KEPT = "\n\t\u200c\u200d"
