"""The matcher's rules, from the strongest evidence to the weakest."""

from collections.abc import Callable, Mapping

from spiqa_tasks.scoring.mcq.claims import opening, settle
from spiqa_tasks.scoring.mcq.forms import Level
from spiqa_tasks.scoring.mcq.reading import Reading
from spiqa_tasks.scoring.mcq.stance import By, stances

_NOTHING: frozenset[str] = frozenset()
_NO_OPTION = frozenset("?")


def _field(reading: Reading) -> frozenset[str]:
    """Return the options named by the last field with a letter; {"?"} if the last one denies all."""
    if reading.fields and reading.denies(reading.fields[0].content):
        return _NO_OPTION
    fields = (reading.content(field.content, False) for field in reading.fields)
    return next(filter(None, fields), _NOTHING)


def _last(reading: Reading, level: Level, of_text: bool = False) -> frozenset[str]:
    """Return the options that the last line with a claim of this level leaves standing."""
    for index, line in reading.backwards(reading.unread if of_text else -1):
        claims = [claim for claim in line.claims if claim.of_text <= of_text]
        if any(claim.level == level for claim in claims):
            return settle([claim for claim in claims if claim.level != "stated"], line)
        whole = opening(line, "alone") or opening(reading.bare(index), "alone") if level == "named" else None
        if whole is not None and whole.of_text == of_text and reading.stands_out(index, of_text):
            return whole.letters
    return _NOTHING


def _all(reading: Reading) -> frozenset[str]:
    """Return the options that all lines state, or the one that the first line with a mention begins with."""
    lines = list(reading.backwards())
    found = [settle([claim for claim in line.claims if not claim.of_text], line) for _, line in lines]
    if any(found) or not lines:
        return _NOTHING.union(*found)
    index, first = lines[-1]
    claim = opening(first, "lead")
    if claim is None or claim.of_text or len(claim.letters) > 1 or reading.in_listing(index):
        return _NOTHING
    return claim.letters


def _spoken_for(reading: Reading, by: By, after: int = -1) -> frozenset[str]:
    """Return the favoured options: of the last conclusion, else of any sentence, else those only mentioned.

    A later statement that none can be chosen retracts them.
    """
    found: dict[int, set[str]] = {1: set(), 0: set()}
    last = None
    for index, line in reading.backwards(after):
        for stance in reversed([stance for stance in stances(line, index == 0) if stance.by == by]):
            if not stance.strength and reading.in_listing(index):
                continue
            last = last or (index, stance.start)
            if stance.strength == 2:
                return _NOTHING if reading.is_undecided(*last) else stance.letters
            found[stance.strength] |= stance.letters
    if last is None or reading.is_undecided(*(last if found[1] or by != "text" else (0, 0))):
        return _NOTHING
    return frozenset(found[1] or found[0])


def _of_text(reading: Reading) -> frozenset[str]:
    """Return the options named by their texts; {"?"} if the answer is a value that is no option."""
    found = _NOTHING
    if reading.fields:
        found = reading.content(reading.fields[0].content, True)
    found = found or _last(reading, "named", True) or _spoken_for(reading, "text", reading.unread)
    return found or (_NOTHING if reading.unread < 0 else _NO_OPTION)


RULES: Mapping[str, Callable[[Reading], frozenset[str]]] = {
    "field": _field,
    "answer_line": lambda reading: _last(reading, "named"),
    "conclusion": lambda reading: _last(reading, "concluded"),
    "statement": _all,
    "mark": lambda reading: _spoken_for(reading, "mark"),
    "text": _of_text,
    "letter": lambda reading: _spoken_for(reading, "letter") if reading.options.are_labels else _NOTHING,
}
"""Name -> rule; a rule returns no letter, one, or several if the answer is ambiguous."""
