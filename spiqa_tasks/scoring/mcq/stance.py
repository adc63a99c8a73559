"""Weak evidence: sentences that favour an option without a committing form.

A mention counts unless its clause denies it, contrasts it with another or asks. Words such as
"matches", "more likely" or "correct" in the clause favour it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.scoring.mcq.cues import LETTER
from spiqa_tasks.scoring.mcq.forms import REJECTION, Line, compiled

_SENTENCE = compiled("[^STOP QUESTION]+ (?!QUESTION) STOP?")
_MENTIONS = compiled(
    "SURE ((COMMA ANOTHER){0,12} COMMA? AND ANOTHER | (COMMA ANOTHER){1,12} (?=COMMA? AND)"
    "| (COMMA ANOTHER){2,12})?"
    "| (?<=[IS COLON]) WORD (?=[COMMA STOP BECAUSE] | $)"
)
_MARKED = compiled("[ENCLOSED CONFIRMED] | (?<=OPTION)(?<![ENCLOSED CONFIRMED] OPTION) LETTER")
_OPENS = compiled("(?=[COMMA COLON BUT BECAUSE SO THAN])")
_ENDS = compiled("[COMMA COLON STOP QUESTION BUT BECAUSE SO THAN LETTER ENCLOSED CONFIRMED TEXT]")
_CONTRASTED = compiled(  # "B and something else"; "B, which is not there"
    "AND | [^LETTER ENCLOSED CONFIRMED TEXT]* [NOT WRONG LESS] [^LETTER ENCLOSED CONFIRMED TEXT]*"
    "([COMMA COLON BUT BECAUSE SO THAN STOP QUESTION] | $)"
)
_DENIES = compiled("[NOT WRONG LESS]")
_REJECTS = compiled("[IF MAY NOT WRONG EXAMINE] | ^THAN | PART $")
_SPEAKS_FOR = compiled("[GOOD FITS PICK ANSWER]")
_CONCLUDES = compiled("[^COMMA]{0,3} [SO BECAUSE]")
_PREDICATE = compiled("[IS COLON] FILL{0,3} $")
_END = compiled("[COMMA STOP BECAUSE] | $")
_UNABLE = compiled(
    # I cannot tell; it is difficult to say
    "(NOT | (?<!NOT) HARD) [FILL OTHER IT GOOD AND IS]{0,4} KNOW"
    "| ((?<!IS) NOT | HARD) [FILL OTHER]{0,4} PICK | (?<!IS) NOT ANSWER"  # cannot choose; 无法回答
    "| KNOW OTHER? NOT"  # 判断できません
)
_NONE = compiled(
    # there is no correct answer; none of the given options
    "IT IS NOT FILL? OPTION | (?<![LETTER ENCLOSED CONFIRMED TEXT IT] IS) NOT"
    "([FILL GOOD OTHER]{0,2} ANSWER | FILL{0,3} (IT | OTHER? [LABELS LISTING NOUNS]))"
)
_NEAR = 60  # kinds that are looked at before a mention, and behind it

By = Literal["mark", "text", "letter"]


@dataclass(frozen=True)
class Stance:
    """Evidence of a sentence for options at kinds[start] of a line.

    Attributes:
        strength: 2 if a conclusion favours them, 1 if another sentence does, 0 if they are only
            mentioned.
        by: `mark` (a letter in brackets or with its option's text), `text` or `letter`.
    """

    letters: frozenset[str]
    strength: int
    by: By
    start: int


def stances(line: Line, is_first: bool = False) -> Iterator[Stance]:
    """Yield the evidence for options of a line, in order; the first line may begin with the text
    of one.
    """
    lead = line.opening("lead") if is_first else None
    if lead and lead.of_text:
        yield Stance(lead.letters, 1, "text", lead.start)
    for sentence in _SENTENCE.finditer(line.kinds):
        yield from _of_sentence(line, sentence, is_first)


def _of_sentence(line: Line, sentence: re.Match[str], is_first: bool) -> Iterator[Stance]:
    """Yield the evidence for options in a sentence of a line, in order."""
    is_opening = is_first and sentence.start() == 0
    may_end = is_opening or sentence.end() == len(line.kinds)
    for mention in _MENTIONS.finditer(line.kinds, *sentence.span()):
        start, end = mention.span()
        has_verb = _PREDICATE.search(line.kinds, 0, start)
        ends = bool(may_end and has_verb and _END.match(line.kinds, end))
        concludes = bool(_CONCLUDES.match(line.kinds, sentence.start(), start))
        strength = _strength(line, sentence, mention, concludes, ends)
        letters = line.named(start, end)
        if strength is not None and letters:
            yield Stance(letters, strength, _by(line, mention), start)


def _by(line: Line, mention: re.Match[str]) -> By:
    """Return how a mention names its options: by a mark, a bare letter or their text."""
    if _MARKED.search(line.kinds, *mention.span()):
        return "mark"
    return "letter" if LETTER in mention[0] else "text"


def _strength(
    line: Line, sentence: re.Match[str], mention: re.Match[str], concludes: bool, ends: bool
) -> int | None:
    """Return the strength of a mention, or None if its clause denies, supposes or contrasts it.

    `ends`: whether it ends the answer's first sentence, or the last one of a line.
    """
    start, end = mention.span()
    before = line.kinds[max(sentence.start(), start - _NEAR) : start]
    after = _ENDS.split(line.kinds[end : end + _NEAR])[0]
    opened = _OPENS.split(before)[-1]
    if _REJECTS.search(opened) or _DENIES.search(after):
        return None
    if _SPEAKS_FOR.search(opened + after):
        return 1 + concludes
    if _CONTRASTED.match(line.kinds, end, sentence.end()):
        return None
    if concludes and (ends or _MARKED.search(line.kinds, start, end)):
        return 2
    return int(ends)  # the sky is blue


def is_unable(line: Line) -> bool:
    """Return whether a line says that nothing can be chosen."""
    return _UNABLE.search(line.kinds) is not None


def is_undecided(line: Line, start: int = 0) -> bool:
    """Return whether a line says, from `start` on, that nothing can be chosen, or that no option
    is right.
    """
    return any(pattern.search(line.kinds, start) for pattern in (_UNABLE, _NONE, REJECTION))
