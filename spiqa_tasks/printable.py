"""Text of files and servers, made safe for a terminal."""

import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds after which a command says what it is doing; until then a person does not wonder.
SLOW = 1.0
# Seconds after which it says how far it is.
FIRST = 10.0

# Categories of control, format and surrogate characters, and of separators of lines.
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Line feeds and tabs, and what joins letters and emoji.
_KEPT = "\n\t\u200c\u200d"


def printable(text: str) -> str:
    """Return the text with blanks for what steers a terminal or is invisible.

    Line feeds and tabs stay, and so does what joins letters and emoji (U+200C, U+200D).
    """
    if text.isprintable():
        return text
    return "".join(" " if _steers(character) else character for character in text)


def _steers(character: str) -> bool:
    return unicodedata.category(character) in _STEERING and character not in _KEPT


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
    """Say on stderr what the block is doing, as `said_if_slow`, and then how far it is.

    Yields a function of how many are done and, if not known before, of how many there are. On a
    terminal it moves a bar; else it says `n of N` after ten seconds, and whenever that time has
    doubled; the seconds while there is no N.
    """
    from tqdm import tqdm

    started, due = time.monotonic(), FIRST
    bar = tqdm(
        total=total,
        desc=doing,
        file=sys.stderr,
        leave=False,
        delay=SLOW,
        disable=None,  # where there is no terminal
    )

    def show(done: int, of: int = total) -> None:
        nonlocal due
        bar.total = of
        bar.update(done - bar.n)
        if not bar.disable:
            return

        passed = time.monotonic() - started
        if passed >= due:
            due = 2 * passed
            say(f"{doing}: {done} of {of}" if of else f"{doing}: {passed:.0f} s")

    with said_if_slow(doing), bar:
        yield show


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 question`, `2 questions`; `many` is the plural if an s is not enough."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number} {noun}"
