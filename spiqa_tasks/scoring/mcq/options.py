"""A question's options, and the positions of their texts and labels in an answer."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.text import CIRCLED, SPARE_DIGITS, fold, plain

TEXTS = "\ue000"
"""The first of the 256 characters that stand for option texts."""

_PAD = "\uf8ff"
_BRACKETED = re.compile(r"[(\[][a-z][)\]]")
_SHORT = re.compile("[a-z]{1,2}|[ivx]{1,5}")
_ITEM = re.compile(r"[ -]{0,7}(\d(?:[\d.,]*\d)?)[.)] \S")

_TELLING = (cues.GOOD, cues.WRONG, cues.OPTION, cues.FITS)
_WORDY = re.compile(r"[^\W\u3040-\U0010ffff]")
_ENDS_WORDY = re.compile(r"(?:[^\W\u3040-\U0010ffff]|\w')$")
_ENDS_NUMBER = re.compile(r"(?:[-−]|\d[.,])$")
_DECIMALS = re.compile(r"[.,]\d")


class Options:
    """A question's options: `texts`, folded, by letter.

    `are_labels`: the texts are unknown, or refer to letters in the picture: "Point A". `words`: texts that are also
    common words, such as "no" and "II". `sought`: (text, letters that share it), longest first; no single letters.
    """

    def __init__(self, choices: Mapping[str, str]) -> None:
        texts = {letter: fold(plain(text)) for letter, text in choices.items()}
        numbers = {letter: SPARE_DIGITS.sub("", text) for letter, text in texts.items()}
        self._are_values = len(set(numbers.values())) == len(
            set(texts.values())
        )  # not 3, 3.0 and 3.00
        texts = numbers if self._are_values else texts
        self.texts = {
            letter: text[1] if _BRACKETED.fullmatch(text) else text
            for letter, text in texts.items()
        }
        self.are_labels = all(
            not text or letter.lower() in text.split() for letter, text in self.texts.items()
        )
        owners: dict[str, str] = {}
        for letter, text in self.texts.items():
            if text and text.upper() not in self.texts:
                owners[text] = owners.get(text, "") + letter
        self.words = {
            text
            for text in owners
            if _SHORT.fullmatch(text) or cues.KIND_OF_WORD.get(text, cues.GOOD) not in _TELLING
        }
        self.sought = sorted(owners.items(), key=lambda item: -len(item[0]))[:256]

    def cleaned(self, text: str) -> str:
        """Return a line of a response as option texts are compared with it: plain, 1500 for 1,500 and 3 for 3.0."""
        return SPARE_DIGITS.sub("", plain(text)) if self._are_values else plain(text)


def masked(text: str, options: Options) -> str:
    """Return a cleaned line in lower case, at its own length, with option texts as single characters and padding."""
    for index, (option, _) in enumerate(options.sought):
        if option in text:
            text = _masked(text, option, chr(ord(TEXTS) + index))
    return text


def _masked(text: str, option: str, character: str) -> str:
    replacement = character + _PAD * (len(option) - 1)
    pieces, done, start = [], 0, text.find(option)
    while start != -1:
        end = start + len(option)
        whole = _is_whole(text, start, end)
        if whole:
            pieces += [text[done:start], replacement]
            done = end
        start = text.find(option, end if whole else start + 1)
    return "".join([*pieces, text[done:]])


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is whole words and numbers: "5" is neither in "15" nor in "5.2" nor in "-5"."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if (text[start].isalnum() and _ENDS_WORDY.search(before)) or (
        text[end - 1].isalnum() and _WORDY.match(after)
    ):
        return False
    if (text[start].isdigit() and _ENDS_NUMBER.search(before)) or (
        text[end - 1].isdigit() and _DECIMALS.match(after)
    ):
        return False
    item = _ITEM.match(text)
    return not (item and item.span(1) == (start, end))


_LONE_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_NAMES = "|".join(cue for cue, kind in cues.KIND_OF.items() if kind in (cues.ANSWER, cues.OPTION))
_IS = "|".join(re.escape(cue) for cue, kind in cues.KIND_OF.items() if kind == cues.IS)
_ALPHABETS = "[\u0370-\u06ff\u30a0-\u30ff]"  # Greek, Cyrillic, Arabic; katakana
_FORMS = (
    rf"(?P<before>(?:{_NAMES})\W{{0,3}}(?:{_IS})?\W{{0,4}})(?P<label>%s)(?:(?=번|입니다|이다|です|だ)|(?![\w%%°]|[.,]\d))",
    r"(?P<before>^\W{0,8}|[(（\[【>{\"':]\s?)(?P<label>%s)(?=\s?(?:[.)）、:：\]】<}\"',;]|$|번))(?![.,]\d)",
    rf"(?P<before>)(?P<label>(?<!{_ALPHABETS})(?={_ALPHABETS})(?:%s)(?!{_ALPHABETS}))",
)
"""Where a label names an option: after `answer` or `option`; at a line's beginning, in brackets or a field; a letter of
the alphabets beside no other letter. A bare number elsewhere is a number."""
_IN_FIELD = r"(?P<before><answer>\s?)(?P<label>%s)(?=\s?</answer>)"
_NUMBER = re.compile(
    r"\d|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)\b", re.I
)


def with_letters(text: str, letters: Mapping[str, str]) -> str:
    """Return `text` with the letter in place of each label that names an option (`letters`: label -> letter).

    Latin letters that stand alone name no option then and are masked.
    """
    text = CIRCLED.sub(lambda mark: f"({unicodedata.normalize('NFKC', mark[0])})", text)
    text = _LONE_LETTER.sub("xx", text)
    return _replaced(text, letters, _FORMS)


def with_letters_of_positions(text: str, choices: Mapping[str, str]) -> str:
    """Return `text` with the letter in place of a number in a field made for the answer: the option's position from 1.

    Only if the options are phrases without any number, so that a number cannot be meant as a value.
    """
    if "<" not in text or not all(
        len(option.split()) > 1 and not _NUMBER.search(option) for option in choices.values()
    ):
        return text
    return _replaced(
        text, {str(place): letter for place, letter in enumerate(sorted(choices), 1)}, [_IN_FIELD]
    )


def _replaced(text: str, letters: Mapping[str, str], forms: Iterable[str]) -> str:
    labels = "|".join(map(re.escape, sorted(letters, key=len, reverse=True)))
    for form in forms:
        text = re.sub(
            form % labels,
            lambda found: f"{found['before']} {letters[found['label'].upper()]} ",
            text,
            flags=re.M | re.I,
        )
    return text
