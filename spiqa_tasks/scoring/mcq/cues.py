"""Kinds of words, marks and mentions, and the cue -> kind tables that `words.py` gives.

A kind is one arbitrary character, so that a line is a short string that patterns match.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from spiqa_tasks.scoring.mcq.words import COUNTED, JOINED, LANGUAGES, ORDINALS

ANSWER = "A"  # an answer
OPTION = "O"  # what is chosen between
NOUN = "n"  # what options may be: caption, Sentence
NOUNS = "m"  # the same in the plural: captions, figures
LISTING = "K"  # all options together: options, choices
GOOD = "G"  # describes the right option: correct, best
FITS = "V"  # verb of the right option: matches, fits
WRONG = "W"  # describes the other options: wrong, incorrect
IS = "="
PICK = "P"  # verb of choosing: choose, select
NOT = "N"
IF = "H"
MAY = "M"
SO = "S"
BUT = "C"
IT = "I"
AND = "J"
FILL = "F"  # words without influence on the reading: the, very
BECAUSE = "Y"
ONLY = "U"
ALL = "e"
ELSE = "r"  # the other options: others, rest
THAN = "<"
LESS = "-"  # never describes the right option: different, unlikely
HARD = "X"  # choosing is hard: difficult, impossible
KNOW = "B"  # what a refusal cannot do: determine, decide
EXAMINE = "b"  # an option is looked at, not chosen: consider, check
PART = "Z"  # noun before a letter that is no option: panel B
OTHER = "x"  # one or more words that are no cue
COLON = ":"
COMMA = ","
STOP = "."
QUESTION = "?"

LETTER = "L"  # a capital
ENCLOSED = "E"  # a letter in brackets
CONFIRMED = "D"  # a letter with its option's text
TEXT = "T"  # an option's text alone
WORD = "w"  # an option's text that is a word like others: "no", "II"
WEAK = "l"  # a letter that may be a word: the article, the pronoun, one in lower case
OUT_OF_RANGE = "R"  # a capital that is no option

PUNCTUATION = {
    COLON: ": → - ->",
    COMMA: ", ; 、 ، (",
    STOP: ". ! … 。 । ۔",
    QUESTION: "? ؟",
}


def cues_of(language: str) -> Iterator[tuple[str, str]]:
    """Yield (cue, kind) of a language's table; letters with marks in the form that answers have."""
    table = unicodedata.normalize("NFKC", language).replace("\u200c", "")
    for line in table.strip().splitlines():
        name, _, cues = line.strip().partition(": ")
        for cue in cues.split(", "):
            yield cue, globals()[name.upper()]


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern of the longest matching phrase, grouped by first characters, which is
    faster.
    """
    groups: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        groups.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in groups.items())


def _table(is_joined: bool) -> dict[str, str]:
    """Return cue -> kind of the joined languages, or of the others; the first language decides."""
    tables = [table for code, table in LANGUAGES.items() if (code in JOINED) == is_joined]
    return {cue: kind for table in reversed(tables) for cue, kind in cues_of(table)}


_SPACED = _table(is_joined=False)
KIND_OF_JOINED = _table(is_joined=True)
KIND_OF_WORD = {cue: kind for cue, kind in _SPACED.items() if not {*cue} & {*" .-"}}
KIND_OF_PHRASE = {cue: kind for cue, kind in _SPACED.items() if cue not in KIND_OF_WORD}
KIND_OF_MARK = {mark: kind for kind, marks in PUNCTUATION.items() for mark in marks.split()}
KIND_OF = {**KIND_OF_WORD, **KIND_OF_PHRASE, **KIND_OF_JOINED, **KIND_OF_MARK}

PLACE_OF_ORDINAL = {
    ordinal: place
    for line in ORDINALS.strip().splitlines()
    for place, ordinal in enumerate(line.strip().split(", "))
}
ORDINALS_COUNT = frozenset(COUNTED.split(", "))
