"""Convert a line of a response to the kinds of its words, letters and marks.

`The correct answer is (B) blue, not A.` is FILL GOOD ANSWER IS CONFIRMED COMMA NOT LETTER STOP; forms are patterns over
such lines.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.forms import Line
from spiqa_tasks.scoring.mcq.options import TEXTS, Options, masked
from spiqa_tasks.scoring.mcq.text import lower


def _any_of(phrases: Iterable[str]) -> str:
    """Return a pattern of the longest matching phrase, grouped by first characters, which is faster."""
    groups: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        groups.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in groups.items())


_WORD = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_TOKEN = re.compile(
    rf"(?P<enclosed>(?<![\w'\\^_)\]}}])(?:[(\[{{<]\ ?(?:option\ |choice\ )?[a-z]\ ?[)\]}}>]))"
    rf"|\b(?:{_any_of(cues.KIND_OF_PHRASE)})\b"
    r"|(?P<letter>(?<![0-9a-z\u00e0-\u024f'\\_^∠△⊙°@#+-])[a-z]"
    r"(?![0-9a-z\u00c0-\u024f_^+\#&=']|[-.][0-9a-z]|/[a-z]?[0-9+^(]))"
    rf"|(?P<word>{_WORD}+(?:'{_WORD}+)?)"
    rf"|(?P<text>[{TEXTS}-\ue0ff])"
    r"|[.!?…。](?=[\s\"')\]]|$|(?<=[。!?]))"
    r"|[:=→⇒,;、/&✓✔✅☑✗✘❌✕☒×∴]|[-—–](?:>|(?=\ ))"
    rf"|(?=[^\x00-\x7f])(?:{_any_of(cues.KIND_OF_JOINED)})"
    r"|\d+(?:[.,]\d+)*|[\u3040-\u9fff\uac00-\ud7af]",
)  # fmt: skip
_CUES = "|".join(cue for cue in cues.KIND_OF_WORD if cue.isalpha())
_FORMULA = re.compile(
    rf"(?<![0-9a-z])(?!(?:{_CUES})\()[0-9a-z_]+\([a-z]$|[0-9a-z]{{2}}/[a-z]$"
)  # f(A, AB/C
_LISTED = re.compile(r"\([^()]*(?:[,/&;]|\bor|\band)\s?$")  # (A, B and
_SEPARATOR = re.compile(rf"[\s.:,()\[\]{{}}\"'–—=-]{{0,6}}([{TEXTS}-\ue0ff])")
_ANSWER_ROLE = re.compile(rf" ?: ?[\"']?[{TEXTS}-\ue0ff]")
_AFTER_LETTER = (cues.IS, cues.AND, cues.BECAUSE, cues.FITS, cues.WRONG, cues.NOT, cues.BUT)
_BEGINS_TEXT = re.compile(r"(?:(?<=[)\]])|(?<=[)\]] ))(?:no|none|neither|nothing|false)")
"""Negations that may begin the text of an option after its marked letter: `(B) No`."""
_DEFINED = re.compile(r"\s?=(?!>)")
"""A letter in brackets that is a variable: `Difference (D) = 72`."""
_NEXT_WORD = re.compile(rf" ({_WORD}+|[{TEXTS}-\ue0ff])")
_MENTIONS = (cues.LETTER, cues.ENCLOSED, cues.OUT_OF_RANGE, cues.WEAK)


def read_line(line: str, options: Options) -> Line:
    """Return the kinds of a cleaned line."""
    low = lower(line)
    with_texts = masked(low, options)
    if with_texts == low and len(low) < 100:  # other answers may have it, too
        return without_texts(line, "".join(options.texts))
    return _line(line, with_texts, options)


@lru_cache(maxsize=1024)
def without_texts(line: str, letters: str) -> Line:
    """Return the kinds of a line that has no option's text, such as `The answer is A.`"""
    return _line(line, lower(line), Options(dict.fromkeys(letters, "")))


def _line(line: str, low: str, options: Options) -> Line:
    found: list[str] = []
    letters: list[str] = []
    skip = 0
    for token in _TOKEN.finditer(low):
        if token.start() < skip:
            continue
        group, value, named = token.lastgroup, token[0], ""
        before = found[-1] if found else ""
        if group == "word":
            kind = cues.FILL if _BEGINS_TEXT.match(low, token.start()) else _kind_of_word(value)
        elif group == "letter":
            kind, named, skip = _letter(line, low, token.start(), token.end(), before, options)
        elif group == "enclosed":
            at = token.start() + len(value[:-1].rstrip()) - 1
            kind, named, skip = _enclosed(low, at, token.end(), options)
        elif group == "text":
            text, named = options.sought[ord(value) - ord(TEXTS)]
            kind = cues.WORD if text in options.words else cues.TEXT
        else:
            kind = cues.KIND_OF.get(value, cues.OTHER)
        if kind == before == cues.OTHER:
            continue
        found.extend(kind)
        letters.extend([named] * len(kind))
    return Line("".join(found), letters)


def _kind_of_word(word: str) -> str:
    if "'" not in word or word in cues.KIND_OF_WORD:
        return cues.KIND_OF_WORD.get(word, cues.OTHER)
    stem, _, ending = word.partition("'")
    kind = cues.NOT if ending == "t" else cues.KIND_OF_WORD.get(stem, cues.OTHER)
    return kind + (cues.IS if ending == "s" else "")


def _own_text(low: str, letter: str, end: int, options: Options) -> int:
    """Return the end of the option's text if it follows its letter, or 0."""
    found = _SEPARATOR.match(low, end)
    return found.end(1) if found and letter in options.sought[ord(found[1]) - ord(TEXTS)][1] else 0


def _enclosed(low: str, at: int, end: int, options: Options) -> tuple[str, str, int]:
    letter = low[at].upper()
    if _DEFINED.match(low, end):
        return cues.OTHER, "", 0
    own = _own_text(low, letter, end - 1, options)
    kind = (
        cues.CONFIRMED if own else cues.ENCLOSED if letter in options.texts else cues.OUT_OF_RANGE
    )
    return kind, letter, own


def _letter(
    line: str, low: str, start: int, end: int, before: str, options: Options
) -> tuple[str, str, int]:
    """Return the kind of a single letter, the option, and the end of its text (0 if it does not follow)."""
    letter = low[start].upper()
    own = _own_text(low, letter, end, options)
    if (
        line[start] == "a" and own == end + 2 and low[end] == " "
    ):  # the article before the text of A: "a red car"
        return cues.FILL, "", 0
    if own:
        return cues.CONFIRMED, letter, own
    kind = _kind_of_letter(line[start], low, end, before, options)
    return kind, letter if kind in _MENTIONS else "", own


def _kind_of_letter(character: str, low: str, end: int, before: str, options: Options) -> str:
    letter = character.upper()
    capital = character == letter
    if letter == "A" and not before and _ANSWER_ROLE.match(low, end):
        return cues.ANSWER
    if letter not in options.texts:
        out_of_range = capital and letter not in "AI"
        return (
            cues.OUT_OF_RANGE if out_of_range else cues.KIND_OF_WORD.get(letter.lower(), cues.OTHER)
        )
    if low[end - 2 : end - 1] in ("(", "/") and _FORMULA.search(low, max(0, end - 12), end):
        return cues.OTHER
    if (
        low.startswith(")", end)
        and before != cues.OPTION
        and not _LISTED.search(low, max(0, end - 40), end - 1)
    ):
        return cues.ENCLOSED
    follows = before == cues.OPTION
    is_named = follows and (
        character != "a" or low.endswith(("option a", "choice a"), 0, end)
    )  # not "the image a man"
    if is_named or (capital and letter not in "AI"):
        return cues.LETTER
    if letter == "A" and (following := _NEXT_WORD.match(low, end)):
        is_said = cues.KIND_OF.get(following[1]) in _AFTER_LETTER
        is_letter = low.startswith(" is ", end) or (is_said and (capital or follows))
        return cues.LETTER if is_letter else cues.FILL
    return cues.LETTER if character == "A" or follows else cues.WEAK
