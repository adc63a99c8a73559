"""The table of forms in which an answer commits to an option, and the commitments in a line.

A form is a regular expression over a line's kinds. A name in capitals is a kind (`cues`) or one
of the `PIECES`, `<...>` encloses the option, and spaces mean nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from spiqa_tasks.scoring.mcq import cues

Level = Literal["named", "concluded", "stated", "alone", "lead"]

PIECES: Mapping[str, str] = {
    "LABEL": "[LABELS]",
    "SURE": "[LETTER ENCLOSED CONFIRMED TEXT]",  # B, (B), (B) blue, blue
    "BY_LETTER": "[LETTER ENCLOSED CONFIRMED WEAK]",
    "ITEM": "(LABEL | FILL (?=TEXT))? SURE",  # of a list: "option C", "the sky"
    "ANOTHER": "(ITEM | WEAK (?!IS))",  # "A, b and c", but not "a = 4, b = 5"
    "NEXT": (  # "and C", "x or (C)", ". blue, C. red"
        "(FILL? [COMMA AND]{1,2} (ITEM | LABEL? WEAK)"
        "| (?<=CONFIRMED) (STOP AND)? CONFIRMED | OTHER AND [ENCLOSED CONFIRMED]"
        "| COMMA OTHER AND LETTER | (?<=LETTER) LETTER (?=[STOP LETTER] | $)"  # B (8) or C; B C
        "| [STOP COLON] [OTHER FILL STOP AND IS GOOD]{1,12} [COMMA AND]{1,2} LETTER"
        " (?=[STOP COLON]))"
    ),
    "REST": "(NEXT (?![IS FITS GOOD WRONG NOT COLON])){0,12}",
    "SUBJECT": "(SURE | WEAK) NEXT{0,12}",
    "MENTION": "(SURE | OUT_OF_RANGE | [WEAK WORD] (?=FILL? BREAK)) REST",
    "BREAK": "([COMMA STOP COLON QUESTION BECAUSE BUT AND] | $)",
    "DENIES": (
        "[COMMA COLON]? (FILL{0,3} IS FILL{0,3} [NOT WRONG]"
        "| NOT FILL{0,2} [IS FITS] FILL{0,3} [GOOD ANSWER]"
        "| NOT FILL{0,2} ([STOP COMMA] | $))"
    ),
    "REJECTED": "FILL{0,3} (WRONG | NOT FILL{0,2} [GOOD FITS])",
    "CALM": (  # words of a sentence that names one option, and rejects none
        "[^LETTER ENCLOSED CONFIRMED TEXT WEAK OUT_OF_RANGE STOP QUESTION NOT WRONG IF MAY LESS"
        " THAN ELSE]"
    ),
    "END": "LABEL? FILL{0,2} (?=[COMMA STOP COLON QUESTION BECAUSE BUT SO] | $) (?!DENIES)",
    "THE_ANSWER": "(ANSWER | GOOD FILL? LABEL)",
    "WORDS": (
        "[OTHER FILL GOOD LABELS FITS PICK IT SO AND LISTING NOUNS BECAUSE ANSWER COMMA TEXT ALL"
        " ELSE KNOW EXAMINE]{0,12}?"
    ),
    "FILLING": "[FILL LABELS PART GOOD ANSWER SO IT COMMA COLON IS]{0,8}?",
}

# Level of evidence -> {examples in which the answer is B: form}.
FORMS: Mapping[Level, Mapping[str, str]] = {
    "named": {  # anywhere in a line: the answer is named
        "The answer is B; Answer: B; The right caption for this is B": (
            "THE_ANSWER WORDS [IS COLON] FILLING <MENTION> ((?<=CONFIRMED) | (?!DENIES | WRONG))"
        ),
        "The answer is dark (B)": (
            "ANSWER [IS COLON] [FILL OTHER COMMA AND LABELS IS]{1,9} <[ENCLOSED CONFIRMED]> END"
        ),
        "Answer B; Answer option B; The best choice (B)": (
            "THE_ANSWER [FILL LABELS GOOD]{0,3} <[LETTER ENCLOSED CONFIRMED OUT_OF_RANGE] REST>"
            "(?!([COMMA COLON] OTHER)? [COMMA COLON]? IS FILL? (?![STOP COMMA] | $)"
            "| OTHER? (NOT | WRONG))"
        ),
    },
    "concluded": {  # anywhere: after a word of conclusion or correction
        "So B; Actually, it is B; No, B": (
            "([SO BUT] | NOT (?=COMMA))"
            "[FILL LABELS IT PICK ANSWER GOOD SO BUT IS COLON COMMA]{0,9}? <MENTION> END"
        ),
    },
    "stated": {  # anywhere: something is said for an option
        "B is correct; B is the answer": (
            "<SUBJECT> LABEL? COMMA? FILL{0,3} IS [FILL SO IT]{0,4}"
            "([FILL GOOD OTHER LABELS]{0,2} ANSWER | GOOD)"
        ),
        "The option that is wrong is B": (
            "WRONG [FILL OTHER IT LABELS IS]{0,8} IS [FILL LABELS]{0,3} <MENTION> END"
        ),
        "The colour is option B": "IS FILL{0,3} OPTION <BY_LETTER> END",
        "The colour is: B. Light": "IS COLON OPTION? <BY_LETTER> END",
        "B best matches; B fits best; B matches the figure": (
            "<SUBJECT> FILL{0,2} (GOOD (FITS | ANSWER) | FITS GOOD | FITS FILL? LABEL | ANSWER)"
        ),
        "B: correct; A ✗ B ✓ C ✗": (
            "<SUBJECT> LABEL? [COMMA STOP COLON]? FILL{0,2} GOOD IS?"
            "((?=[LETTER ENCLOSED CONFIRMED] [COMMA STOP COLON]? [GOOD WRONG]) | END)"
        ),
        "The closest is B; The one that fits is B": (
            "[GOOD LABELS FITS] WORDS [IS COLON] FILLING <MENTION> END"
        ),
        "I choose B; Leaving B": (
            "PICK [FILL LABELS GOOD ANSWER IT ONLY COLON COMMA]{0,5} <MENTION> (?!IS)"
        ),
        # B, in verb-final languages
        "B wähle ich": "<SUBJECT> FILL? PICK [FILL OTHER]{0,3} (?=STOP | $)",
        "It fits (B); It fits option B": (
            "FITS [FILL LABELS]{0,3} <(?<=[LABELS]) BY_LETTER | [ENCLOSED CONFIRMED]> END"
        ),
        "The sky is (B)": "IS FILL{0,3} <[ENCLOSED CONFIRMED] REST> END",
        "It is B": "IT IS [FILL LABELS GOOD ANSWER COLON]{0,5} <MENTION> END",
    },
    "alone": {  # a whole line
        "Option B.": (
            "[FILL LABELS PART SO ANSWER BUT GOOD IT PICK IS COLON COMMA STOP]{0,6}"
            "<(SURE | WEAK | WORD | OUT_OF_RANGE) REST>"
            "LABEL? [STOP COMMA]* $"
        ),
    },
    "lead": {  # the beginning of a line
        "B, as it fits; B. It fits": (
            "[FILL LABELS ANSWER COLON]{0,4} <(SURE | WEAK | WORD) REST>"
            "(?=FILL{0,2} ([STOP BECAUSE BUT QUESTION] (?!IS REJECTED)"
            "| [COMMA COLON] (?!IS? REJECTED | (SURE | WEAK) (NEXT{1,12} | IS REJECTED)) | $))"
        ),
        "(B) this is shown": (
            "[FILL LABELS COLON]{0,4} <[CONFIRMED ENCLOSED]>"
            "(?![IS NOT FITS WRONG GOOD AND] | NEXT | (OTHER AND)? [LETTER ENCLOSED CONFIRMED]"
            "| OTHER? LESS [COMMA STOP] | OTHER WRONG | COMMA REJECTED)"
        ),
    },
}

_SIGNS = {"(": "(?:", "<": "(?P<option>", ">": ")"}
_TOKEN = re.compile(r"[A-Z_]{2,}|\((?!\?)|(?<!\(\?)<|>")


def compiled(form: str) -> re.Pattern[str]:
    """Return a form as a pattern over strings of kinds; `<...>` becomes the group `option`."""
    return re.compile(_TOKEN.sub(_spelled, form), re.VERBOSE)


def _spelled(token: re.Match[str]) -> str:
    """Return the regular expression that a name or a sign of a form stands for."""
    name = token[0]
    if name in PIECES:
        return f"(?:{_TOKEN.sub(_spelled, PIECES[name])})"
    if name == "LABELS":  # within brackets
        return cues.OPTION + cues.NOUN
    return _SIGNS.get(name) or re.escape(getattr(cues, name))


PATTERNS = {level: tuple(map(compiled, forms.values())) for level, forms in FORMS.items()}
_ANYWHERE: tuple[Level, ...] = ("named", "concluded", "stated")
_CLAUSE_END = compiled("[COMMA STOP COLON QUESTION BECAUSE BUT SO]")
_DENIAL = compiled("[NOT IF MAY] | (?<![LETTER ENCLOSED CONFIRMED TEXT WEAK IS COLON]) WRONG")
_CORRECTION = compiled("[BUT SO]")
_CONCLUDES = compiled("(^ | [STOP QUESTION]) SO [^STOP QUESTION]* $")
_QUESTION = compiled("[^STOP QUESTION]{0,199} QUESTION")
_LETTER = compiled("BY_LETTER | OUT_OF_RANGE")

# Statements that no option is right: they cancel all claims before them.
REJECTION = compiled(
    "NOT [FILL BECAUSE]{0,3} OTHER? LISTING"  # none of the given options
    # is not listed among the options; does not match any of the given options
    "| NOT [FILL FITS]? OTHER [FILL BECAUSE]{0,3} LISTING"
    "| NOT LABEL IS GOOD"  # no option is correct
    "| (?<=IS) NOT GOOD [ANSWER OPTION]"  # there is no correct answer
    "| ALL [FILL OTHER]{0,3} LISTING IS FILL? WRONG"  # all five options are incorrect
    "| ANSWER [IS COLON]{1,2} NOT (ANSWER | GOOD [ANSWER OPTION])? ([STOP COMMA] | $)"  # no answer
)


@dataclass(frozen=True)
class Claim:
    """A commitment to one or several letters at kinds[start:end] of a line.

    `of_text`: whether options are named by their texts alone, without a letter.
    """

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
    def rejection(self) -> int:
        """The start of the last statement that no option is right, or -1."""
        return max((match.start() for match in REJECTION.finditer(self.kinds)), default=-1)

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The commitments in order of position; of several at one mention the strongest."""
        by_end: dict[int, Claim] = {}
        for level in _ANYWHERE:
            for pattern in PATTERNS[level]:
                for match in pattern.finditer(self.kinds):
                    end = match.end("option")
                    if end not in by_end and not _doubted(self.kinds, match):
                        concludes = level == "stated" and _CONCLUDES.search(
                            self.kinds, 0, match.start("option")
                        )
                        by_end[end] = self._claim("concluded" if concludes else level, match)
        return [by_end[end] for end in sorted(by_end) if end > self.rejection]

    def opening(self, level: Level) -> Claim | None:
        """Return the mention that is the whole line (`alone`), or its start (`lead`), or None."""
        matches = (pattern.match(self.kinds) for pattern in PATTERNS[level])
        return next((self._claim(level, match) for match in matches if match), None)

    def named(self, start: int, end: int) -> frozenset[str]:
        """Return the letters of the mentions in kinds[start:end]; a letter outweighs an option's
        text.
        """
        by_letter = {
            self.letters[i]
            for i in range(start, end)
            if self.kinds[i] not in (cues.TEXT, cues.WORD)
        } - {""}
        return frozenset("".join(by_letter or {self.letters[i] for i in range(start, end)}))

    def _claim(self, level: Level, match: re.Match[str]) -> Claim:
        start, end = match.span("option")
        of_text = _LETTER.search(self.kinds, start, end) is None
        return Claim(level, start, end, self.named(start, end), of_text)


def _doubted(kinds: str, match: re.Match[str]) -> bool:
    """Return whether a claim is in a question, or its clause has a negation or condition before
    it.
    """
    clause = _CLAUSE_END.split(kinds[max(0, match.start() - 60) : match.start()])[-1]
    return bool(_QUESTION.match(kinds, match.end()) or _DENIAL.search(clause))


def settle(claims: Sequence[Claim], line: Line) -> frozenset[str]:
    """Return the letters that the `claims` of a line (in order) leave standing; several where they
    disagree.

    A claim inside an earlier list narrows it; a conclusion, an answer that is named, or a claim
    after a word of correction replaces what stood before; any other disagreement leaves both
    standing, also that of two named answers.
    """
    standing = claims[0].letters if claims else frozenset()
    for before, claim in pairwise(claims):
        is_first_named = claim.level == "named" and before.level != "named"
        corrects = (
            claim.level == "concluded"
            or is_first_named
            or _CORRECTION.search(line.kinds, before.end, claim.start)
        )
        narrows = claim.letters < standing
        standing = claim.letters if corrects or narrows else standing | claim.letters
    return standing
