"""Text of files and servers, made safe for a terminal."""

import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds until a command says what it is doing: a person waits so long without wondering.
SLOW = 1.0
# Seconds until a command without a terminal first says how far it is.
FIRST_COUNT = 10.0

# Unicode categories of control, format and surrogate characters, and of line separators.
_UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Line feed, tab, and the two joiners that languages and emoji are written with.
_SAFE = "\n\t\u200c\u200d"


def printable(text: str) -> str:
    """Return the text with a blank for each character that controls a terminal or is invisible.

    Line feeds, tabs and the joiners of letters and emoji (U+200C, U+200D) stay.
    """
    if text.isprintable():
        return text
    return "".join(" " if _is_unsafe(character) else character for character in text)


def _is_unsafe(character: str) -> bool:
    """Return whether a character could move the cursor or hide text in a terminal."""
    return unicodedata.category(character) in _UNSAFE_CATEGORIES and character not in _SAFE


def say(*lines: str, program: str = "spiqa-tasks") -> None:
    """Print remarks on stderr, each after the name of the program."""
    for line in lines:
        print(f"{program}: {printable(line)}", file=sys.stderr)


@contextmanager
def said_if_slow(doing: str, program: str = "spiqa-tasks") -> Iterator[None]:
    """Say on stderr what the block is doing, once, if it takes longer than a second."""
    timer = threading.Timer(SLOW, say, [f"{doing} ..."], {"program": program})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def progress(doing: str, total: int = 0) -> Iterator[Callable[..., None]]:
    """Show on stderr how far a block of code is: a bar on a terminal, else lines.

    Yields a function to call as `show(done)`, or `show(done, total)` if the total is known only
    then. Lines say `doing ...` after a second, then `doing: 20 of 90` after ten seconds and each
    time the seconds have doubled; `doing: 10 s` while the total is 0.
    """
    from tqdm import tqdm

    started = time.monotonic()
    next_count = FIRST_COUNT
    bar = tqdm(
        total=total,
        desc=doing,
        file=sys.stderr,
        leave=False,
        delay=SLOW,
        disable=None,  # if stderr is no terminal
    )

    def show(done: int, total: int = total) -> None:
        """Show how many are done: in the bar, or, without a terminal, in ever fewer lines."""
        nonlocal next_count
        bar.total = total
        bar.update(done - bar.n)
        if not bar.disable:
            return

        seconds = time.monotonic() - started
        if seconds >= next_count:
            next_count = 2 * seconds
            say(f"{doing}: {done} of {total}" if total else f"{doing}: {seconds:.0f} s")

    with said_if_slow(doing), bar:
        yield show


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 question`, `2 questions`; `many` is the plural if an s is not enough."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number} {noun}"
