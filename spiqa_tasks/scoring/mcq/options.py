"""A question's options, and the positions of their texts and labels in an answer."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.text import fold, in_one_form, plain

# The first of the 256 characters that stand for option texts.
TEXTS = "\ue000"

_PAD = "\uf8ff"
_BRACKETED = re.compile(r"[(\[][a-z][)\]]")
_SHORT = re.compile("[a-z]{1,2}|[ivx]{1,5}")

# What makes an option's first or last character a part of a longer word or value: 5 of 15 and -5;
# 5 of 5.2, 50 of 50+5\pi, 2 of 2 \cdot 3.
_WORDY = r"[^\W\u3040-\U0010ffff]"
_GOES_BACK = re.compile(rf"(?:{_WORDY}|\w')(?:[^\W_]|\\)$|(?:[-−]|\d[.,])\d$")
_GOES_ON = re.compile(
    rf"[^\W_]{_WORDY}|\d(?:[.,]\d|-[\d\\]|\s?[+*/^]\s?[\d\\]|\s?\\(?:cdot|pi|sqrt))"
)

_SPARE = re.compile(r"[\s{}]|(?<=\\)[dt](?=frac)")
_DIGIT = re.compile(r"\d")


class Options:
    """A question's options: `texts`, folded, by letter.

    `are_labels`: the texts are unknown, or refer to letters in the picture: "Point A". `words`:
    texts as short as a common word, such as "no" and "II". `sought`: (text, letters that share
    it), longest first; no single letters.
    """

    def __init__(self, choices: Mapping[str, str]) -> None:
        self.texts = {letter: _comparable(text) for letter, text in choices.items()}
        self.are_labels = all(
            not text or letter.lower() in text.split() for letter, text in self.texts.items()
        )
        owners: dict[str, str] = {}
        for letter, text in self.texts.items():
            if text and text.upper() not in self.texts and text != "answer":
                owners[text] = owners.get(text, "") + letter
        self.words = frozenset(filter(_SHORT.fullmatch, owners))
        self._values = {_squeezed(text): text for text in owners}
        self.sought = sorted(owners.items(), key=lambda item: -len(item[0]))[:256]

    @cached_property
    def are_numbers(self) -> bool:
        """Whether each text has a digit."""
        return all(map(_DIGIT.search, self.texts.values()))

    def masked_by(self, character: str) -> tuple[str, str]:
        """Return the text that a character stands for, and the letters that share it."""
        return self.sought[ord(character) - ord(TEXTS)]

    def cleaned(self, text: str) -> str:
        """Return a line of a response as option texts are compared with it: plain; the option's
        text for a value that is the line, or its end behind a colon.
        """
        before, colon, value = plain(text).rpartition(": ")
        return before + colon + self._values.get(_squeezed(fold(value)), value)


@lru_cache(maxsize=4096)
def options_of(choices: tuple[tuple[str, str], ...]) -> Options:
    """Return the options with these (letter, text); a question's are made once for all its
    answers.
    """
    return Options(dict(choices))


def _comparable(option: str) -> str:
    """Return an option's text as it is compared with a line of a response; `a` for `(a)`."""
    text = fold(plain(in_one_form(option)))
    return text[1] if _BRACKETED.fullmatch(text) else text


def _squeezed(text: str) -> str:
    """Return the value of a text: it without spaces and braces, and with `\\frac` for `\\dfrac` and
    `\\tfrac`.
    """
    return _SPARE.sub("", text)


def masked(text: str, options: Options) -> str:
    """Return a cleaned line in lower case, at its own length, with option texts as single
    characters and padding.
    """
    for index, (option, _) in enumerate(options.sought):
        if option not in text:
            continue

        mask = chr(ord(TEXTS) + index) + _PAD * (len(option) - 1)
        characters = [*text]  # one long text for each occurrence would not be linear
        end = 0
        while (start := text.find(option, end)) != -1:
            end = start + len(option)
            if _is_whole(text, start, end):
                characters[start:end] = mask
            else:
                end = start + 1
        text = "".join(characters)
    return text


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is whole words and numbers: "5" is neither in "15" nor in
    "5.2", "-5" or "5+2".
    """
    before = text[max(0, start - 2) : start + 1]
    return not (_GOES_BACK.search(before) or _GOES_ON.match(text, end - 1))


_LATIN = r"A-Za-z\u00c0-\u02af\u1e00-\u1eff"
_LONE_LETTER = re.compile(rf"(?<![{_LATIN}</])[A-Za-z](?![{_LATIN}])")
_NAMES = "|".join(
    cue for cue, kind in cues.KIND_OF.items() if kind in (cues.ANSWER, cues.OPTION, cues.NOUN)
)
_LINKS = cues.any_of(
    cue for cue, kind in cues.KIND_OF.items() if kind in (cues.IS, cues.GOOD, cues.FILL)
)
_ALPHABETS = "[\u0370-\u06ff\u30a0-\u30ff]"  # Greek, Cyrillic, Arabic; katakana

# Letters that name the options of a text in Arabic, in their order, whatever letters the task has.
_ARABIC = "أبجده"
_IS_ARABIC = re.compile("[\u0600-\u06ff]")
_SEVERAL = (
    r"(?P<before>^|(?:{names})\W{{0,9}})(?P<label>(?:{label})번?(?:\s?[,、"
    r"&]\s?(?:{label})번?)+)(?=\W*$)"
)

# Where a label names an option: after `answer` or `option`; at a line's beginning, in brackets or a
# field; a letter of the alphabets beside no other letter. A bare number elsewhere is a number.
_FORMS = (
    r"(?P<before>(?:{names})\W{{0,6}}(?:(?:{links})\W{{0,4}}){{0,2}})(?P<label>{label})"
    r"(?:(?=번|입니다|이다|です|だ)|(?![\w%°]|[.,]\d))",
    (
        r"(?P<before>^\W{{0,8}}|[(「\[<{{\"':]\s?)(?P<label>{label})(?=\s?(?:[.)、"
        r":\]<}}\"',;]|\*\*|$|번))(?![.,]\d)"
    ),
    r"(?P<before>)(?P<label>(?<!{alphabets})(?={alphabets})(?:{label})(?!{alphabets}))",
    r"(?P<before>)(?P<label>(?<!\d)(?:{label})(?=번(?!째)))",
)
_IN_FIELD = r"(?P<before><answer>\s?)(?P<label>{label})(?=\s?</answer>)"
_NUMBER = re.compile(
    r"\d|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)\b", re.I
)


def with_letters(text: str, keys: Mapping[str, str], choices: Mapping[str, str]) -> str:
    """Return `text` with the letter (`keys`: letter -> key) in place of each label that names an
    option.

    If labels are no letters, Latin letters that stand alone name no option and are masked. If
    they are, a number in a field made for the answer is the option's position, where no option
    speaks of numbers.
    """
    labels = {
        label: letter
        for letter, key in keys.items()
        if (label := unicodedata.normalize("NFKC", key).upper()) != letter
    }
    if labels:
        return _replaced(_LONE_LETTER.sub("xx", text), labels, (_SEVERAL, *_FORMS))
    letters = sorted(keys)
    if _IS_ARABIC.search(text):
        arabic = dict(zip(_ARABIC, letters, strict=False))
        text = _replaced(text, arabic, _FORMS)
    if "<" in text and all(map(_is_phrase, choices.values())):
        text = _replaced(text, {str(at): key for at, key in enumerate(letters, 1)}, [_IN_FIELD])
    return text


def _is_phrase(option: str) -> bool:
    """Return whether an option has several words, and none is a number."""
    return len(option.split()) > 1 and not _NUMBER.search(option)


def _replaced(text: str, letters: Mapping[str, str], forms: Iterable[str]) -> str:
    """Return a text with the labels in given forms written as letters."""
    label = "|".join(map(re.escape, sorted(letters, key=len, reverse=True)))
    one_label = re.compile(label, re.IGNORECASE)

    def as_letter(match: re.Match[str]) -> str:
        return f" {letters[match[0].upper()]} "

    def as_letters(match: re.Match[str]) -> str:
        return match["before"] + one_label.sub(as_letter, match["label"])

    for form in forms:
        pattern = form.format(names=_NAMES, links=_LINKS, alphabets=_ALPHABETS, label=label)
        text = re.sub(pattern, as_letters, text, flags=re.M | re.I)
    return text.replace(" )", ")")
