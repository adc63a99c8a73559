"""What the sentences of a line say for the options that they mention, where they commit in no form of the table.

A mention counts unless its clause denies it, sets it against another or asks. Words such as "matches", "more likely" or
"correct" in the clause speak for it.
"""

from __future__ import annotations

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

By = Literal["mark", "text", "letter"]


@dataclass(frozen=True)
class Stance:
    """What a sentence says for options at kinds[start] of a line.

    Attributes:
        strength: 2 where a conclusion speaks for them, 1 where another sentence does, 0 where they are only mentioned.
        by: a letter in brackets or with its option's text, a text, or a letter.
    """

    letters: frozenset[str]
    strength: int
    by: By
    start: int


def stances(line: Line, is_first: bool = False) -> Iterator[Stance]:
    """Yield what is said for the options of a line in their order; the first line may begin with the text of one."""
    claimed = {claim.start: claim for claim in line.claims if claim.of_text}
    lead = opening(line, "lead") if is_first else None
    if lead is not None and lead.of_text and lead.start not in claimed:
        yield Stance(lead.letters, 1, "text", lead.start)
    for sentence in _SENTENCE.finditer(line.kinds):
        for mention in _MENTIONS.finditer(line.kinds, *sentence.span()):
            claim = claimed.get(mention.start())
            if claim is not None:
                concludes = claim.level != "stated" or _CONCLUDES.match(line.kinds, *sentence.span()) is not None
                yield Stance(claim.letters, 1 + concludes, "text", claim.start)
            elif not sentence[0].endswith(QUESTION):
                strength = _strength(line.kinds, sentence.span(), mention.span())
                by: By = "mark" if _MARKED.search(mention[0]) else "letter" if LETTER in mention[0] else "text"
                if strength is not None:
                    yield Stance(line.named(*mention.span()), strength, by, mention.start())


def _strength(kinds: str, sentence: tuple[int, int], mention: tuple[int, int]) -> int | None:
    """Return how strongly a sentence speaks for a mention in it, None where it does not."""
    before = kinds[sentence[0] : mention[0]]
    opened = _found(_BEFORE.search(before))
    after = _found(_AFTER.match(kinds, mention[1], sentence[1]))
    rejected = _REJECTS.search(opened) and not _DESCRIBES.search(opened)
    if rejected or _DENIES.search(after) or LESS in after or before.endswith(PART):
        return None
    concludes = _CONCLUDES.match(before) is not None
    if _SPEAKS_FOR.search(opened + after) and MAY not in after:
        return 2 if concludes else 1
    rest = _found(_REST.match(kinds, mention[1], sentence[1]))
    joined = after.startswith(AND)  # B and something else
    if ASIDE in kinds[slice(*sentence)] or _DENIES.search(rest) or LESS in rest or joined:
        return None
    ends = _PREDICATE.search(before) and _END.match(kinds, mention[1])
    return 2 if concludes and (ends or _MARKED.search(kinds, *mention)) else 0


def _found(match: re.Match[str] | None) -> str:
    return match[0] if match else ""


def is_undecided(line: Line, start: int = 0) -> bool:
    """Return whether a line says, from `start` on, that nothing can be chosen, or that no option is right."""
    return is_unable(line, start) or _NONE.search(line.kinds, start) is not None


def is_unable(line: Line, start: int = 0) -> bool:
    """Return whether a line says, from `start` on, that nothing can be chosen."""
    return _UNABLE.search(line.kinds, start) is not None
