"""Weak evidence: sentences that favour an option without a committing form.

A mention counts unless its clause denies it, contrasts it with another or asks. Words such as "matches", "more likely"
or "correct" in the clause favour it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.scoring.mcq.claims import Line, opening
from spiqa_tasks.scoring.mcq.forms import compiled
from spiqa_tasks.scoring.mcq.kinds import AND, ASIDE, LESS, LETTER, MAY, PART, QUESTION

_SENTENCE = compiled("[^STOP QUESTION]+ [STOP QUESTION]?")
_MENTIONS = compiled(
    "SURE ((COMMA OPTION? SURE){0,12} COMMA? AND OPTION? SURE | (COMMA OPTION? SURE){2,12})?"
    "| (?<=[IS COLON]) WORD (?=[COMMA STOP BECAUSE] | $)"
)
_MARKED = compiled("[ENCLOSED CONFIRMED]")
_BEFORE = compiled("([COMMA COLON BUT BECAUSE SO THAN] | ^) [^COMMA COLON BUT BECAUSE SO THAN]* $")
_AFTER = compiled("[^COMMA COLON STOP QUESTION BUT BECAUSE SO THAN LETTER ENCLOSED CONFIRMED TEXT]*")
_REST = compiled("([^LETTER ENCLOSED CONFIRMED TEXT]* ([COMMA COLON BUT BECAUSE SO THAN STOP QUESTION] | $))?")
_DENIES = compiled("[NOT WRONG]")
_REJECTS = compiled("(IF | MAY | NOT | WRONG | EXAMINE).* $ | ^THAN")
_DESCRIBES = compiled("NOT FILL{0,2} [OTHER FITS] IS FILL{0,2} $")  # the one that does not fit is
_SPEAKS_FOR = compiled("[GOOD FITS PICK ANSWER]")
_CONCLUDES = compiled("[^COMMA]{0,3} [SO BECAUSE]")
_PREDICATE = compiled("[IS COLON] FILL{0,3} $")
_END = compiled("[COMMA STOP BECAUSE] | $")
_UNABLE = compiled(
    "(NOT | (?<!NOT) HARD) [FILL OTHER IT GOOD AND]{0,4} KNOW"  # I cannot tell; it is difficult to say
    "| ((?<!IS) NOT | HARD) [FILL OTHER]{0,4} PICK | (?<!IS) NOT ANSWER"  # cannot choose; 无法回答
    "| KNOW OTHER? NOT"  # 判断できません
)
_NONE = compiled(
    "(?<![LETTER ENCLOSED CONFIRMED TEXT IT] IS) NOT"  # there is no correct answer; none of the given options
    "([FILL GOOD OTHER]{0,2} ANSWER | FILL{0,3} (IT | OTHER? [OPTION LISTING]))"
)

_NEAR = 60  # kinds that are looked at before a mention

By = Literal["mark", "text", "letter"]


@dataclass(frozen=True)
class Stance:
    """Evidence of a sentence for options at kinds[start] of a line.

    Attributes:
        strength: 2 if a conclusion favours them, 1 if another sentence does, 0 if they are only mentioned.
        by: `mark` (a letter in brackets or with its option's text), `text` or `letter`.
    """

    letters: frozenset[str]
    strength: int
    by: By
    start: int


def stances(line: Line, is_first: bool = False) -> Iterator[Stance]:
    """Yield the evidence for options of a line, in order; the first line may begin with the text of one."""
    claimed = {claim.start: claim for claim in line.claims if claim.of_text}
    lead = opening(line, "lead") if is_first else None
    if lead is not None and lead.of_text and lead.start not in claimed:
        yield Stance(lead.letters, 1, "text", lead.start)
    for found in _SENTENCE.finditer(line.kinds):
        sentence = _Sentence(line.kinds, found.start(), found.end())
        for mention in _MENTIONS.finditer(line.kinds, *found.span()):
            claim = claimed.get(mention.start())
            if claim is not None:
                concludes = claim.level != "stated" or sentence.concludes(claim.end)
                yield Stance(claim.letters, 1 + concludes, "text", claim.start)
                continue
            strength = sentence.strength(*mention.span())
            if strength is not None:
                by: By = "mark" if _MARKED.search(mention[0]) else "letter" if LETTER in mention[0] else "text"
                yield Stance(line.named(*mention.span()), strength, by, mention.start())


class _Sentence:
    """The sentence at kinds[start:end] of a line."""

    def __init__(self, kinds: str, start: int, end: int) -> None:
        self._kinds, self._start, self._end = kinds, start, end
        self._conclusion = _CONCLUDES.match(kinds, start, end)
        self._is_aside = kinds.find(ASIDE, start, end) != -1
        self._is_question = kinds[end - 1] == QUESTION

    def concludes(self, before: int) -> bool:
        """Return whether a word of conclusion begins it, and stands before kinds[before]."""
        return self._conclusion is not None and self._conclusion.end() <= before

    def strength(self, start: int, end: int) -> int | None:
        """Return the strength for the mention at kinds[start:end], or None if it does not count."""
        before = self._kinds[max(self._start, start - _NEAR) : start]
        after = _found(_AFTER.match(self._kinds, end, self._end))
        opened = _found(_BEFORE.search(before))
        if self._is_question or _rejected(opened, after) or before.endswith(PART):
            return None
        concludes = self.concludes(start)
        if _SPEAKS_FOR.search(opened + after) and MAY not in after:
            return 2 if concludes else 1
        rest = _found(_REST.match(self._kinds, end, self._end))
        if self._is_aside or _DENIES.search(rest) or LESS in rest or after.startswith(AND):  # "B and something else"
            return None
        ends = _PREDICATE.search(before) and _END.match(self._kinds, end)
        is_last = self._end >= len(self._kinds) and LESS not in before
        return 2 if concludes and (ends or _MARKED.search(self._kinds, start, end)) else 1 if ends and is_last else 0


def _rejected(before: str, after: str) -> bool:
    """Return whether the clause of a mention, the kinds before and after it, denies or contrasts it."""
    rejects = _REJECTS.search(before) and not _DESCRIBES.search(before)
    return bool(rejects or _DENIES.search(after)) or LESS in after


def _found(match: re.Match[str] | None) -> str:
    return match[0] if match else ""


def is_undecided(line: Line, start: int = 0) -> bool:
    """Return whether a line says, from `start` on, that nothing can be chosen, or that no option is right."""
    return is_unable(line, start) or _NONE.search(line.kinds, start) is not None


def is_unable(line: Line, start: int = 0) -> bool:
    """Return whether a line says, from `start` on, that nothing can be chosen."""
    return _UNABLE.search(line.kinds, start) is not None
