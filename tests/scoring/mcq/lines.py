"""Lines of a response as the matcher sees them, with names for their kinds, and options to see
them with.
"""

from collections.abc import Mapping

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.forms import Line
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.text import plain
from spiqa_tasks.scoring.mcq.tokens import read_line

COLOURS = {"A": "red", "B": "blue", "C": "green", "D": "dark red", "E": "15"}
PICTURES = dict.fromkeys("ABCD", "")
NINE = dict.fromkeys("ABCDEFGHI", "")
SHIFTED = {"A": "D", "B": "C", "C": "B", "D": "C"}
NAMES = {
    kind: name
    for name, kind in vars(cues).items()
    if name.isupper() and isinstance(kind, str) and len(kind) == 1
}
KINDS = "".join(NAMES)
MENTIONS = frozenset((cues.LETTER, cues.ENCLOSED, cues.CONFIRMED, cues.TEXT, cues.WORD, cues.WEAK))


def line_of(text: str, choices: Mapping[str, str] = COLOURS) -> Line:
    """Return `text` as a reading sees it."""
    return read_line(plain(text), Options(choices))


def named(line: Line) -> str:
    """Return the names of a line's kinds: `FILL ANSWER IS LETTER`."""
    return " ".join(map(NAMES.__getitem__, line.kinds))


def line_of_kinds(names: str) -> Line:
    """Return a line of the kinds with these names, whose mentions stand for B."""
    found = [getattr(cues, name) for name in names.split()]
    return Line("".join(found), ["B" if kind in MENTIONS else "" for kind in found])
