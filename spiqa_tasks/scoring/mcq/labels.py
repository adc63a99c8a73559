"""Labels of options other than A to Z: numbers (`2`, `②`) and letters of other alphabets."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from spiqa_tasks.scoring.mcq import cues

_CIRCLED = re.compile("[\u2460-\u2473]")
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
_NUMBER = re.compile(r"\d|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)\b", re.I)


def with_letters(text: str, letters: Mapping[str, str]) -> str:
    """Return `text` with the letter in place of each label that names an option (`letters`: label -> letter).

    Latin letters that stand alone name no option then and are masked.
    """
    text = _CIRCLED.sub(lambda mark: f"({unicodedata.normalize('NFKC', mark[0])})", text)
    text = _LONE_LETTER.sub("xx", text)
    return _replaced(text, letters, _FORMS)


def with_letters_of_positions(text: str, choices: Mapping[str, str]) -> str:
    """Return `text` with the letter in place of a number in a field made for the answer: the option's position from 1.

    Only if the options are phrases without any number, so that a number cannot be meant as a value.
    """
    if not all(len(option.split()) > 1 and not _NUMBER.search(option) for option in choices.values()):
        return text
    return _replaced(text, {str(place): letter for place, letter in enumerate(sorted(choices), 1)}, [_IN_FIELD])


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
