"""Text of files and servers, made safe for a terminal."""

import sys
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# Seconds until a command says what it is doing: a person waits so long without wondering.
SLOW = 1.0
# Seconds until a bar is drawn again.
BAR_SECONDS = 0.1
# Seconds until the next line of a command without a terminal: a log is not flooded.
LINE_SECONDS = 10.0

# To a terminal: go to the start of the line, and wipe it.
WIPE = "\r\x1b[K"

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


def _is_terminal() -> bool:
    """Return whether stderr is a terminal; what programs put in its place may lack `isatty`."""
    return hasattr(sys.stderr, "isatty") and sys.stderr.isatty()


def say(*lines: str, program: str = "spiqa-tasks") -> None:
    """Print remarks on stderr, each after the name of the program."""
    if sys.stderr is None:  # closed (`2>&-`), where `print` would take stdout
        return
    # A terminal may show a bar in the line.
    start = WIPE if _is_terminal() else ""
    for line in lines:
        print(f"{start}{program}: {printable(line)}", file=sys.stderr)


@contextmanager
def progress(doing: str, total: int = 0, program: str = "spiqa-tasks") -> Iterator[Any]:
    """Show on stderr, from a second on, what a block of code is doing, and how far it is.

    A terminal shows a bar until the block ends; anything else gets the bar's text as a line every
    ten seconds. Yields the bar (of tqdm), whose `n` the block sets. Without a total only the time
    is shown.
    """
    from tqdm import tqdm

    bar = tqdm(
        desc=f"{program}: {printable(doing)}",
        total=total,
        file=sys.stderr,
        leave=False,
        delay=SLOW,  # so that tqdm itself shows nothing at the start
        bar_format=None if total else "{desc} ... {elapsed}",
    )
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(bar, ended), daemon=True)
    thread.start()
    try:
        yield bar
    finally:
        ended.set()
        thread.join()
        bar.close()


def _show(bar: Any, ended: threading.Event) -> None:
    """Show a bar again and again, until its block has ended."""
    if sys.stderr is None:
        return
    is_terminal = _is_terminal()
    seconds = SLOW
    while not ended.wait(seconds):
        if is_terminal:
            bar.refresh()
            seconds = BAR_SECONDS
        else:
            print(bar, file=sys.stderr)
            seconds = LINE_SECONDS
    if is_terminal:
        bar.clear()


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 question`, `2 questions`; `many` is the plural if an s is not enough."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number} {noun}"


def abridged(names: Iterable[object], most: int = 1) -> str:
    """Return the first names and how many more there are: `a and 2 more`; `none` of none."""
    texts = list(map(str, names))
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}" or "none"
