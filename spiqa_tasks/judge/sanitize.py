"""Neutralise prompt injection in answers shown to the judge; flag suspicious ones."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from spiqa_tasks.scoring.responses import CONTROL_TOKEN, without_control_tokens

REMOVED = "[removed]"
LONGEST = 16_000
"""Most characters of an answer shown to the judge (about 4,000 tokens, half of a small judge's
context)."""
CUT = "\n[...]\n"
"""Stand-in for the middle of a cut answer."""

_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеѕіјорсухһԁԛԝνοαικρυΑΒΕΗΙΚΜΝΟΡΤΥΧıɡɑ",
    "ABESIJKMHOPCTXYaesijopcyxhdqwvoaikpuABEHIKMNOPTYXiga",
)
"""Cyrillic and Greek letters, and few others, that look like Latin ones. A package of all of
Unicode's (confusable-homoglyphs) takes a megabyte, and calls Latin letters confusable with each
other."""
_BLANKS = "\u115f\u1160\u3164\uffa0"
"""Hangul fillers: letters to Unicode, blanks to a reader."""
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


def _phrase(words: str) -> str:
    """The words with anything but letters and digits between them, or nothing at all."""
    return r"[\W_]{0,8}".join(words.split())


_COLON = r"[\s*_\"'`]{0,8}:"
_SENTENCES = "|".join(
    _phrase(sentence)
    for sentence in (
        "is the semantic meaning of the ground truth and candidate answers similar",
        "is the semantic meaning of the ground truth and candidate answers",
        "answer in one word yes or no",
        "answer in one word",
        "you are given a question",
        "here is the output from a generative model",
        "the output contains the answer to a multiple choice question",
        "return only the letter of the answer",
        "if no answer is found return none",
        "your task is to rank the following captions",
        "rank the captions from best to worst",
    )
)
_START, _END = r"(?<![^\W_])", r"(?![^\W_])"
_CANDIDATE = _phrase("andidate answer")
_FRAME = re.compile(
    "|".join(
        (
            rf"(?:^[^\w\n]{{0,8}}|(?<=[.!?:;,)}}\"'|>])[ \t]{{0,8}})c{_CANDIDATE}{_COLON}",
            rf"^[^\w\n]{{0,8}}(?:question|{_phrase('ranked captions')}){_COLON}",
            r"^[^\w\n]{0,8}(?-i:Human|Assistant|HUMAN|ASSISTANT|USER|SYSTEM)[ \t]{0,8}:",
            (
                r"^[ \t]{0,8}#{2,6}["
                r" \t]{0,8}(?:instruction|response|input|system|user|human|assistant)[ \t]{0,8}:"
            ),
            (
                rf"{_START}(?:(?:{_phrase('ground truth answer')}|(?-i:C){_CANDIDATE}){_COLON}"
                rf"|(?:{_SENTENCES}){_END}\??)"
            ),
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)

_ROLE = r"(?:system|user|human|assistant|bot|judge|grader|evaluator|instructions?)"
_JUDGE = r"(?:judge|grader|evaluator|rater|assessor)"
_WORDS = r"(?:\w+[ \t,:]+){0,5}[^\w\s]{0,3}"
_SPEAKING = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        (
            rf"(?:^|[.!?]\s)[^\w\n]{{0,8}}{_ROLE}[^\w\n]{{0,8}}:|[\[<{{(|#]{{1,3}}[ \t]?{_ROLE}["
            r" \t]?[\]>})|#]{1,3}"
        ),
        r"\b(?:reference|ground[\W_]?truth|candidate|gold|golden|expected)[\W_]{0,3}(?:answer|response)s?\b\W{0,8}:",
        r"^[^\w\n]{0,8}#{2,6}\W{0,8}(?:answer|question|response|input|output)\b",
        r"\b(?:verdict|judge?ment|similar|similarity|equivalent|score|rating|grade)\W{0,8}[:=]\W{0,8}"
        r"(?:yes|no|true|similar|correct|high|1|5|10|100)\b",
        r"\byes\W{1,4}(?:or\W{1,4}no\b|yes\b)",
        r"\bsemantic(?:ally)?\W{1,4}(?:meaning|similar|equivalent|the same|identical)\b",
        r"\b(?:ignore|disregard|forget|override)\s+(?:all|any|the|what|everything|previous|above|prior|these|your)\b",
        rf"\b(?:reply|respond|say|output|print|return)\s+{_WORDS}(?:yes|no)\b",
        r"\banswer\s+(?:with|only|simply|just|on|this)\b[^.\n]{0,60}?\b(?:yes|no)\b",
        rf"\b(?:dear|note\s+to|to)\s+(?:the\s+|all\s+)?{_JUDGE}s?\b",
        r"\bplease\s+(?:be\s+(?:lenient|generous|kind)|accept|mark|grade|judge|rate|score|give)\b",
        r"\b(?:mark|count|grade|accept|treat|rate|score|judge)s?\s+[^.\n]{0,40}?\bas\s+"
        r"(?:correct|right|similar|a match)",
        r"\b(?:been|was|is)\s+(?:checked|verified|confirmed|approved)\s+(?:by|as|to be)\b",
        r"\b(?:new|following|previous|above|system)\s+(?:instruction|prompt)s?\b",
        r"\bfull\s+(?:marks|score|credit|points)\b",
    )
]
"""Possible injections in words that honest answers may have, too; for text in lower case, which is
twice as fast."""
_FRAME_WORD = re.compile(
    "truth|andidate|question|ranked|human|assistant|user|system|##|semantic|word|generative|letter|none|caption"
)
_SPEAKING_WORD = re.compile(
    r"system|user|human|assistant|bot\b|judg|grader|evaluator|instruction|answer|response|##|yes|semantic|ignore|disregard|"
    r"forget|override|reply|respond|say|output|print|return|rater|assessor|please|checked|verified|confirmed|approved|"
    r"(?:verdict|similar|similarity|equivalent|score|rating|grade)\W{0,8}[:=]|as\s+(?:correct|right|similar|a"
    r" match)|"
    "prompt|full"
)
"""In every text that the patterns match, in lower case: most answers have none, and looking for
these is far faster."""


@lru_cache(maxsize=2)  # an answer is shown and then marked
def sanitize(text: str) -> str:
    """Return a text of the model under test as a judge may be shown it.

    - What imitates a judge's prompt becomes `[removed]`: the label "Ground-truth answer:" anywhere,
      "Candidate answer:" where a label can stand, "Question:" and "Ranked captions:" at the start
      of a line, the prompts' own sentences, and the role labels of plain-text chats ("###
      Response:", "ASSISTANT:") at the start of a line.
    - Control tokens of chat templates (`<|im_end|>`, `[INST]`, `</s>`) get a blank behind their
      first character, so that they are read and not obeyed.

    Case, punctuation, line ends of any kind, combining and direction marks, full-width letters,
    blanks of Hangul and Cyrillic and Greek letters that look like Latin ones hide nothing. Any
    other text is returned byte for byte.
    """
    is_near = _FRAME_WORD.search(folded(text)[0].lower())
    removed = _replaced(_FRAME, text, lambda _: REMOVED) if is_near else text
    return _replaced(CONTROL_TOKEN, removed, lambda marker: f"{marker[0]} {marker[1:]}")


def shortened(text: str) -> str:
    """Return the text, one of more than `LONGEST` characters without its middle."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - len(CUT)) // 2
    return text[:half] + CUT + text[-half:]


@lru_cache(maxsize=2)  # each of the patterns reads it
def folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text in plain letters, and the original index of each of its characters."""
    if text.isascii():
        return text.translate(_LINE_ENDS), range(len(text))
    plain = list(map(_plain, text))
    return "".join(plain), [place for place, letters in enumerate(plain) for _ in letters]


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """The letters that a character is written with, '' for a mark."""
    if character in _BLANKS:
        return " "
    letters = unicodedata.normalize("NFKD", character)
    visible = [c for c in letters if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return "".join(visible).translate(_LINE_ENDS).translate(_LOOKALIKES)


def _replaced(pattern: re.Pattern[str], text: str, stand_in: Callable[[str], str]) -> str:
    """The text with `stand_in` of each part that reads like the pattern in its stead."""
    read, places = folded(text)
    parts: list[str] = []
    done = 0
    for match in pattern.finditer(read):
        start, end = max(done, places[match.start()]), places[match.end() - 1] + 1
        parts += text[done:start], stand_in(text[start:end])
        done = end
    return "".join(parts) + text[done:]


def is_suspicious(text: str) -> bool:
    """Return whether an answer has a prompt's labels, roles, verdict words or orders.

    A mark for people. Control tokens before and after an answer do not count. Honest answers may
    have such words, and an attack in other words, or in another language, has none of them.
    """
    plain = without_control_tokens(text)
    read = folded(plain)[0].lower()
    speaks = _SPEAKING_WORD.search(read) and any(pattern.search(read) for pattern in _SPEAKING)
    return bool(speaks) or sanitize(plain) != plain
