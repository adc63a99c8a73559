"""A question's options, and the positions of their texts in an answer."""

import re
from collections.abc import Mapping

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.text import SPARE_DIGITS, fold, plain

TEXTS = "\ue000"
"""The first of the 256 characters that stand for option texts."""

_PAD = "\uf8ff"
_BRACKETED = re.compile(r"[(\[][a-z][)\]]")
_SHORT = re.compile("[a-z]{1,2}|[ivx]{1,5}")
_ITEM = re.compile(r"[ -]{0,7}(\d(?:[\d.,]*\d)?)[.)] \S")


class Options:
    """A question's options.

    Attributes:
        texts: the folded texts by letter.
        are_labels: whether the texts are unknown, or refer to letters in the picture: "Point A".
        words: texts that are also common words, such as "no" and "II".
        sought: (text, letters that share it) of the texts to find, longest first; no single letters.
    """

    def __init__(self, choices: Mapping[str, str]) -> None:
        texts = {letter: fold(plain(text)) for letter, text in choices.items()}
        numbers = {letter: SPARE_DIGITS.sub("", text) for letter, text in texts.items()}
        self._are_values = len(set(numbers.values())) == len(set(texts.values()))  # not 3, 3.0 and 3.00
        texts = numbers if self._are_values else texts
        self.texts = {letter: text[1] if _BRACKETED.fullmatch(text) else text for letter, text in texts.items()}
        self.are_labels = all(not text or letter.lower() in text.split() for letter, text in self.texts.items())
        owners: dict[str, str] = {}
        for letter, text in self.texts.items():
            if text and text.upper() not in self.texts:
                owners[text] = owners.get(text, "") + letter
        self.words = {text for text in owners if _is_word(text)}
        self.sought = sorted(owners.items(), key=lambda item: -len(item[0]))[:256]

    def cleaned(self, text: str) -> str:
        """Return a line of a response as option texts are compared with it: plain, 1500 for 1,500 and 3 for 3.0."""
        return SPARE_DIGITS.sub("", plain(text)) if self._are_values else plain(text)


def _is_word(text: str) -> bool:
    function = cues.KIND_OF_WORD.get(text, cues.GOOD) not in (cues.GOOD, cues.WRONG, cues.OPTION, cues.FITS)
    return function or _SHORT.fullmatch(text) is not None


def masked(text: str, options: Options) -> str:
    """Return a cleaned line in lower case, at its own length, with option texts as single characters and padding."""
    for index, (option, _) in enumerate(options.sought):
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
    first, last = text[start], text[end - 1]
    before, after = text[start - 1 : start], text[end : end + 1]
    if first.isalnum() and (_is_wordy(before) or (before == "'" and text[start - 2 : start - 1].isalnum())):
        return False
    if last.isalnum() and _is_wordy(after):
        return False
    if first.isdigit() and (before in ("-", "−") or (before in (".", ",") and text[start - 2 : start - 1].isdigit())):
        return False
    if last.isdigit() and after in (".", ",") and text[end + 1 : end + 2].isdigit():
        return False
    item = _ITEM.match(text)
    return not (item and item.span(1) == (start, end))


def _is_wordy(character: str) -> bool:
    return (character.isalnum() and character < "\u3040") or character == "_"
