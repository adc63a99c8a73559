"""Lines of a response as strings of kinds: what each word, letter and mark does, one character for each.

`The correct answer is (B) blue, not A.` becomes `FGA=D,NL.`; the rules are patterns over such strings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.scoring import mcq_cues as cues
from spiqa_tasks.scoring.mcq_options import TEXTS, Options

LETTER, ENCLOSED, CONFIRMED, TEXT, WEAK, STRANGE = "L", "E", "D", "T", "l", "R"
"""A capital; a letter in brackets; a letter with its option's text; the text alone; a letter that may be a word (the
article, the pronoun, a lower-case one); a capital that is no option."""

_JOINED = "|".join(sorted(cues.KIND_OF_JOINED, key=len, reverse=True))
_PHRASES = "|".join(sorted(map(re.escape, cues.KIND_OF_PHRASE), key=len, reverse=True))
_WORD = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_TOKEN = re.compile(
    rf"(?P<enclosed>(?<![\w'\\^_)\]}}])[(\[{{\"'<]\ ?[a-z]\ ?[)\]}}\"'>])"
    rf"|(?P<phrase>\b(?:{_PHRASES})\b)"
    rf"|(?P<letter>(?<![0-9a-z\u00e0-\u024f'\\_^∠△⊙°@#-])[a-z](?![0-9a-z\u00c0-\u024f_^+\#&=']|[-.][0-9a-z]))"
    rf"|(?P<word>{_WORD}+(?:'{_WORD}+)?)"
    rf"|(?P<text>[{TEXTS}-\ue0ff])"
    r"|(?P<stop>[.!?…。])(?=[\s\"')\]]|$|(?<=[。!?]))"
    r"|(?P<mark>[:=→⇒,;、]|[-—–](?:>|(?=\ ))|=>|/|&|[✓✔✅☑✗✘❌✕☒×∴])"
    rf"|(?P<joined>{_JOINED})"
    r"|(?P<other>\d+(?:[.,]\d+)*|[\u3040-\u9fff\uac00-\ud7af])",
)  # fmt: skip
_SEPARATOR = re.compile(rf"[\s.:,()\[\]{{}}\"'–—=-]{{0,6}}([{TEXTS}-\ue0ff])")
_MARKED_LETTER = re.compile(r"[\s\"')\]}]{0,3}[.:()\]–—-][\s(\[\"']{0,3}([a-z])(?![0-9a-z'])")
_CANDIDATE = re.compile(rf"[{TEXTS}-\ue0ff]|(?<![0-9a-z])(?:[b-z]|a(?! (?!is |and |or )[a-z]{{2}}))(?![0-9a-z])")
_CAPITAL_A = re.compile(r"(?<![0-9A-Za-z])A(?![0-9A-Za-z])|(?:[Oo]ption|[Cc]hoice) a ")
_ANSWER_ROLE = re.compile(rf" ?: ?[\"']?[{TEXTS}-\ue0ff]")
_ARTICLE = "a"
_MENTIONS = frozenset((LETTER, ENCLOSED, STRANGE, WEAK, _ARTICLE))
_WORDS_TOO = frozenset("AI")
_VERB_LIKE = frozenset("=JYVWN,.:?C")


@dataclass(frozen=True)
class Line:
    """A line as kinds, and for each kind the letters that it stands for ("" where it stands for none)."""

    kinds: str
    letters: Sequence[str]

    def named(self, start: int, end: int) -> frozenset[str]:
        """Return the letters of the mentions in kinds[start:end]; a letter outweighs an option's text."""
        by_letter = {self.letters[i] for i in range(start, end) if self.kinds[i] != TEXT} - {""}
        return frozenset("".join(by_letter or {self.letters[i] for i in range(start, end)}))


def has_candidates(line: str, low: str) -> bool:
    """Return whether a cleaned `line`, masked in `low`, may mention an option."""
    return _CANDIDATE.search(low) is not None or _CAPITAL_A.search(line) is not None


def read_line(line: str, low: str, options: Options) -> Line:
    """Return the kinds of a cleaned `line`; `low` is it in lower case and masked."""
    kinds: list[str] = []
    letters: list[str] = []
    skip = 0
    for token in _TOKEN.finditer(low):
        if token.start() < skip:
            continue
        group = token.lastgroup
        value = token[0]
        named = ""
        if group == "word":
            kind = _kind_of_word(value)
        elif group == "letter":
            kind, named, skip = _letter(line, low, token.start(), token.end(), kinds, options)
        elif group == "enclosed":
            at = token.start() + 1 + (value[1] == " ")
            kind, named, skip = _enclosed(low, at, token.end(), options)
            if letters and letters[-1] and options.texts.get(named, "").upper() == letters[-1]:
                kinds[-1], letters[-1] = cues.FILL, ""  # "C (D)" where D is "C"
        elif group == "text":
            kind, named = TEXT, options.sought[ord(value) - ord(TEXTS)][1]
        elif group == "stop":
            kind = cues.QUESTION if value == "?" else cues.STOP
        elif group == "mark":
            kind = cues.MARKS.get(value) or cues.KIND_OF_WORD.get(value) or cues.COLON
        elif group == "phrase":
            kind = cues.KIND_OF_PHRASE[value]
        elif group == "joined":
            kind = cues.KIND_OF_JOINED[value]
        else:
            kind = cues.OTHER
        if kind == cues.OTHER and kinds and kinds[-1] == cues.OTHER:
            continue
        if kinds and kinds[-1] == _ARTICLE:
            if kind in _VERB_LIKE:
                kinds[-1] = LETTER
            else:
                kinds[-1] = cues.FILL
                letters[-1] = letters[-1] if named else ""  # the A of "A B" is mentioned, the article is not
        kinds.extend(kind)
        letters.extend([named] * len(kind))
    return Line("".join(kinds), letters)


def _kind_of_word(word: str) -> str:
    kind = cues.KIND_OF_WORD.get(word)
    if kind is not None:
        return kind
    stem, apostrophe, ending = word.partition("'")
    if not apostrophe:
        return cues.OTHER
    if ending == "t":
        return cues.NOT
    return cues.KIND_OF_WORD.get(stem, cues.OTHER) + (cues.IS if ending == "s" else "")


def _own_text(low: str, letter: str, end: int, options: Options) -> int:
    """Return where the option's own text ends if it follows its letter, which ends at `end`; else 0."""
    if letter not in options.texts:
        return 0
    text = options.texts[letter]
    if text.upper() in options.texts:
        found = _MARKED_LETTER.match(low, end)
        return found.end() if found and found[1] == text else 0
    found = _SEPARATOR.match(low, end)
    if found and letter in options.sought[ord(found[1]) - ord(TEXTS)][1]:
        return found.end(1)
    return 0


def _enclosed(low: str, at: int, end: int, options: Options) -> tuple[str, str, int]:
    letter = low[at].upper()
    own = _own_text(low, letter, end - 1, options)
    kind = CONFIRMED if own else ENCLOSED if letter in options.texts else STRANGE
    return kind, letter, own


def _letter(line: str, low: str, start: int, end: int, kinds: Sequence[str], options: Options) -> tuple[str, str, int]:
    """Return the kind of a single letter, the option, and where its own text ends (0: it does not follow)."""
    letter = low[start].upper()
    own = _own_text(low, letter, end, options)
    if own:
        text = options.texts[letter].upper()
        swapped = options.texts.get(text) == letter.lower() != text.lower() and low[end:own].lstrip().startswith("(")
        return CONFIRMED, letter + text if swapped else letter, own  # "C (D)" where C is "D" and D is "C"
    kind = _kind_of_letter(line[start], low, end, kinds, options)
    return kind, letter if kind in _MENTIONS else "", own


def _kind_of_letter(character: str, low: str, end: int, kinds: Sequence[str], options: Options) -> str:
    letter = character.upper()
    capital = character == letter
    if letter == "A" and not kinds and _ANSWER_ROLE.match(low, end):
        return cues.ANSWER
    if letter not in options.texts:
        return STRANGE if capital and letter not in _WORDS_TOO else cues.KIND_OF_WORD.get(letter.lower(), cues.OTHER)
    if kinds and kinds[-1] == cues.OPTION:
        return LETTER
    if low.startswith(")", end):
        return ENCLOSED
    if capital and letter not in _WORDS_TOO:
        return LETTER
    if low[end : end + 1] == " " and low[end + 1 : end + 2].isalpha():
        if letter == "A":
            return _ARTICLE if capital or low.startswith(" is ", end) else cues.FILL
        if capital:
            return cues.OTHER
    return LETTER if capital and letter == "A" else WEAK
