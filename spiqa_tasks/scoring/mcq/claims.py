"""Find commitments to an option in a line of kinds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from spiqa_tasks.scoring.mcq.forms import PATTERNS, Level, compiled
from spiqa_tasks.scoring.mcq.kinds import CONFIRMED, TEXT, WORD

_ANYWHERE: tuple[Level, ...] = ("named", "concluded", "stated")
_CLAUSE_END = compiled("[COMMA STOP COLON QUESTION BECAUSE BUT SO]")
_DENIAL = compiled(
    "[NOT IF MAY] | (?<![LETTER ENCLOSED CONFIRMED TEXT WEAK IS COLON]) WRONG"
)  # there, said of the option
_CORRECTION = compiled("[BUT SO]")
_QUESTION = compiled("[^STOP QUESTION]{0,199} QUESTION")
_LETTER = compiled("BY_LETTER | OUT_OF_RANGE")


@dataclass(frozen=True)
class Claim:
    """A commitment to one or several letters at kinds[start:end] of a line."""

    level: Level
    start: int
    end: int
    letters: frozenset[str]
    of_text: bool


@dataclass(frozen=True)
class Line:
    """A line as kinds, and for each kind the letters of the options that it mentions, or ""."""

    kinds: str
    letters: Sequence[str]

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The commitments in order of position."""
        return claims_in(self)

    def named(self, start: int, end: int) -> frozenset[str]:
        """Return the letters of the mentions in kinds[start:end]; a letter outweighs an option's text."""
        by_letter = {self.letters[i] for i in range(start, end) if self.kinds[i] not in (TEXT, WORD)} - {""}
        return frozenset("".join(by_letter or {self.letters[i] for i in range(start, end)}))


def claims_in(line: Line) -> list[Claim]:
    """Return the commitments in a line in order of position; of several at one mention the strongest."""
    found: dict[int, Claim] = {}
    for level in _ANYWHERE:
        for pattern in PATTERNS[level]:
            for match in pattern.finditer(line.kinds):
                end = match.end("option")
                doubted = _asked(line.kinds, match) or _negated(line.kinds, match.start())
                if end not in found and not doubted:
                    found[end] = _claim(line, level, match)
    return [found[end] for end in sorted(found)]


def opening(line: Line, level: Level) -> Claim | None:
    """Return the mention that is the whole line (`alone`), or its start (`lead`), or None."""
    matches = (pattern.match(line.kinds) for pattern in PATTERNS[level])
    return next((_claim(line, level, match) for match in matches if match), None)


def _claim(line: Line, level: Level, match: re.Match[str]) -> Claim:
    start, end = match.span("option")
    return Claim(level, start, end, line.named(start, end), _LETTER.search(line.kinds, start, end) is None)


def _asked(kinds: str, match: re.Match[str]) -> bool:
    """Return whether a claim is in a question; the mark may end the option's text: `The answer is (B) Why not?`."""
    return _QUESTION.match(kinds, match.end()) is not None and kinds[match.end() - 1] != CONFIRMED


def _negated(kinds: str, start: int) -> bool:
    """Return whether the clause before `start` has a negation or condition; a conclusion begins a clause."""
    clause = _CLAUSE_END.split(kinds[max(0, start - 60) : start])[-1]
    return _DENIAL.search(clause) is not None and not _CORRECTION.match(kinds, start)


def settle(claims: Sequence[Claim], line: Line) -> frozenset[str]:
    """Return the letters that the `claims` of a line (in order) leave standing; several where they disagree.

    A claim inside an earlier list narrows it; a conclusion, or a claim after a word of correction, replaces what
    stood before; any other disagreement leaves both standing.
    """
    standing = claims[0].letters if claims else frozenset()
    for before, claim in pairwise(claims):
        corrects = claim.level == "concluded" or _CORRECTION.search(line.kinds, before.end, claim.start)
        narrows = claim.letters < standing
        standing = claim.letters if corrects or narrows else standing | claim.letters
    return standing
