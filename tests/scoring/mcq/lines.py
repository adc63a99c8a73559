"""Lines of a response as the matcher sees them, with names for their kinds, and options to see them with."""

from collections.abc import Mapping

from spiqa_tasks.scoring.mcq import kinds
from spiqa_tasks.scoring.mcq.claims import Line
from spiqa_tasks.scoring.mcq.options import Options, masked
from spiqa_tasks.scoring.mcq.text import lower, plain
from spiqa_tasks.scoring.mcq.tokens import read_line

COLOURS = {"A": "red", "B": "blue", "C": "green", "D": "dark red", "E": "15"}
PICTURES = dict.fromkeys("ABCD", "")
NINE = dict.fromkeys("ABCDEFGHI", "")
SHIFTED = {"A": "D", "B": "C", "C": "B", "D": "C"}
NAMES = {kind: name for name, kind in vars(kinds).items() if name.isupper()}
KINDS = "".join(NAMES)
MENTIONS = frozenset((kinds.LETTER, kinds.ENCLOSED, kinds.CONFIRMED, kinds.TEXT, kinds.WORD, kinds.WEAK))


def line_of(text: str, choices: Mapping[str, str] = COLOURS) -> Line:
    """Return `text` as a reading sees it."""
    cleaned, options = plain(text), Options(choices)
    return read_line(cleaned, masked(lower(cleaned), options), options)


def named(line: Line) -> str:
    """Return the names of a line's kinds: `FILL ANSWER IS LETTER`."""
    return " ".join(map(NAMES.__getitem__, line.kinds))


def line_of_kinds(names: str) -> Line:
    """Return a line of the kinds with these names, whose mentions stand for B."""
    found = [getattr(kinds, name) for name in names.split()]
    return Line("".join(found), ["B" if kind in MENTIONS else "" for kind in found])
