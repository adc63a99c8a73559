"""Commitments to an option in a line of kinds (`mcq_tokens`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from spiqa_tasks.scoring.mcq_tokens import Line

Level = Literal["named", "concluded", "stated"]

_END = r"(?=[,.:?YCS]|$)(?![,:]?=F{0,3}[NW])"
_SURE = "[LEDT]"
_MORE = r"(?:(?:[,J]{1,2}O?|(?<=T))[LEDT](?![=VGWN:])){0,12}"
_M = rf"(?P<m>(?:{_SURE}|R|l(?=[,.:?YCJ]|$|=F{{0,3}}[GA])){_MORE})"
_NOT_DENIED = r"(?![,:]?=F{0,3}[NW]|W)"
_GAP = r"[xFGOVPISJKYA,T]{0,12}?"
_SUBJECT = r"(?P<m>[LEDTl](?:(?:[,J]{1,2}O?|(?<=T))[LEDT]){0,12})"
_FILL = r"[FOGASIB,:=]{0,8}?"

# Each is one way of committing to an option, and how much it says.
_FORMS: tuple[tuple[Level, re.Pattern[str]], ...] = tuple(
    (level, re.compile(form))  # type: ignore[misc]
    for level, form in (
        # the answer is B; answer: B; the correct option (...) is B
        ("named", rf"(?:A|GF?O|OF?G){_GAP}[:=]{_FILL}{_M}{_NOT_DENIED}"),
        ("named", rf"(?:A|GF?O)[FO]{{0,3}}(?P<m>[LEDR]{_MORE})(?![,:]?=)"),
        # the answer is sky blue (B)
        ("named", rf"A{_GAP}[:=][xFT]{{0,6}}(?P<m>E){_END}"),
        # so B; actually, it is B; no, B
        ("concluded", rf"(?:[SC]|N(?=,))[,:]?[FOIPAGSC=:,]{{0,8}}?{_M}{_END}"),
        # B is correct; B is the answer; B best matches; B: correct
        ("stated", rf"{_SUBJECT}O?,?F{{0,3}}=[FSI]{{0,4}}(?:[FGxO]{{0,2}}A|G)"),
        ("stated", rf"{_SUBJECT}F{{0,2}}(?:GV|VG|VF?O|A)"),
        ("stated", rf"{_SUBJECT}[,.:]?F{{0,2}}G(?:(?=[LED][,.:]?[GW])|{_END})"),
        ("stated", r"U[FO]{0,2}(?P<m>[LEDl])[=VG]"),
        # the closest is B; the caption that best describes it is B
        ("stated", rf"[GOV]{_GAP}[:=]{_FILL}{_M}{_END}"),
        # I choose B; leaving B; matches option B; it is B
        ("stated", rf"P[FOGAIU:,]{{0,5}}{_M}(?!=)"),
        ("stated", rf"V[FO]{{0,3}}(?P<m>(?:(?<=O)[LEDl]|[ED])){_END}"),
        ("stated", rf"=F{{0,2}}O(?P<m>[LEDl]{_MORE}){_END}"),
        ("stated", rf"=F{{0,3}}(?P<m>[ED]){_END}"),
        ("stated", rf"I=[FOGA:]{{0,5}}{_M}{_END}"),
    )
)
_ALONE = re.compile(rf"[FOSACGIP=:,.]{{0,6}}(?P<m>[LEDTRl]{_MORE})[.,]*$")
_DENIAL = re.compile(r"[NH]|(?<![LEDTl=:])W")  # a W right after a mention or a copula is said of that option
_CORRECTS = re.compile("[CS]")
_QUESTION = re.compile(r"[^.?]{0,199}\?")
_CLAUSE_ENDS = frozenset(",.:?YCS")
_SENTENCE_ENDS = frozenset(".?")
_BY_LETTER = frozenset("LEDRl")
_BY_TEXT = frozenset("DT")
_REJECTED = r"F{0,3}(?:W|NF{0,2}[GV])"
_LEAD = re.compile(
    rf"[FOA:]{{0,4}}(?P<m>[LEDTl]{_MORE})(?=[.YC?](?!={_REJECTED})|[,:](?!=?{_REJECTED})|$)"
    r"|[FO:]{0,4}(?P<c>[DE])(?![=NVWGJLEDT])"
)


@dataclass(frozen=True)
class Claim:
    """A commitment to one or several letters at kinds[start:end] of a line."""

    level: Level
    start: int
    end: int
    letters: frozenset[str]
    of_text: bool


def claims_in(line: Line) -> list[Claim]:
    """Return the commitments in a line in order of position; of several at one mention the one that says most."""
    found: dict[int, Claim] = {}
    for level, form in _FORMS:
        for match in form.finditer(line.kinds):
            start, end = match.span("m")
            asked = line.kinds[match.end() - 1] != "D" and _asked(line.kinds, match.end())
            if end not in found and not asked and not _negated(line.kinds, match.start()):
                found[end] = _claim(line, level, start, end)
    return [found[end] for end in sorted(found)]


def alone(line: Line) -> Claim | None:
    """Return the mention that is all there is in a line."""
    match = _ALONE.match(line.kinds)
    return _claim(line, "named", *match.span("m")) if match else None


def lead(line: Line) -> Claim | None:
    """Return the mention that a line begins with."""
    match = _LEAD.match(line.kinds)
    if match is None:
        return None
    return _claim(line, "stated", *match.span("m" if match["m"] else "c"))


def _claim(line: Line, level: Level, start: int, end: int) -> Claim:
    return Claim(level, start, end, line.named(start, end), _BY_LETTER.isdisjoint(line.kinds[start:end]))


def _negated(kinds: str, start: int) -> bool:
    """Whether a negation or a condition stands in the clause before `start`; a conclusion begins a clause."""
    if _CORRECTS.match(kinds, start):
        return False
    clause = start
    while clause > max(0, start - 60) and kinds[clause - 1] not in _CLAUSE_ENDS:
        clause -= 1
    return _DENIAL.search(kinds[clause:start]) is not None


def _asked(kinds: str, end: int) -> bool:
    """Whether the sentence that goes on at `end` is a question."""
    return _QUESTION.match(kinds, end) is not None


def settle(claims: Sequence[Claim], line: Line) -> frozenset[str]:
    """Return the letters that the `claims` of a line (in order) leave standing; several where they disagree.

    A claim inside an earlier list narrows it; a conclusion, or a claim after a word of correction, replaces what
    stood before; any other disagreement leaves both standing.
    """
    standing = claims[0].letters if claims else frozenset()
    for before, claim in pairwise(claims):
        corrects = claim.level == "concluded" or _CORRECTS.search(line.kinds, before.end, claim.start)
        narrows = claim.letters < standing
        standing = claim.letters if corrects or narrows else standing | claim.letters
    return standing


def affirmed(line: Line) -> frozenset[str]:
    """Return the options that the last sentence of a line with options' texts affirms."""
    letters: frozenset[str] = frozenset()
    for position in reversed(range(len(line.kinds))):
        if letters and line.kinds[position] in _SENTENCE_ENDS:
            break
        is_text = line.kinds[position] in _BY_TEXT
        if is_text and not _asked(line.kinds, position) and not _negated(line.kinds, position):
            letters |= line.named(position, position + 1)
    return letters
