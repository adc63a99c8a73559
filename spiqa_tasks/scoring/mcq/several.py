"""Read the letters of an answer that picks several options."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.open_answers import final_answer, named_answer

_JOINT = r"\s{0,9}(?:[,;/&+、，]|\b(?:and|et|und)\b|と|和){0,2}\s{0,9}"
_LIST = re.compile(rf"(?:[(\[\"'*]{{0,3}}[A-Za-z][)\]\"'.:*]{{0,3}}(?![a-z]){_JOINT}){{1,26}}")
_JOINED = re.compile(r"\b(?:and|et|und)\b")
_LABEL = re.compile(r"(?<![^\s(\[*,;])([A-Z])(?=[)\].:])")
_LINE = re.compile(r"\s{0,9}[-*]?\s{0,9}[(\[*]{0,3}([A-Za-z])[)\].:]")


def letters_in(text: str) -> frozenset[str]:
    """Return the upper-case letters of a text that lists nothing else: `b, e`, `BE`, `(B) and (E)`; else none."""
    text = text.strip().rstrip(".。")
    if text.isascii() and text.isalpha() and text.islower() and len(set(text)) == len(text) and sorted(text) == [*text]:
        return frozenset(text.upper())  # `be`: letters in order
    if not _LIST.fullmatch(text):
        return frozenset()
    return frozenset(letter.upper() for letter in _JOINED.sub(" ", text) if letter.isascii() and letter.isalpha())


def extract_letters(response: str, options: Mapping[str, str]) -> frozenset[str]:
    """Return the letters of all options that a response picks; empty if it names none, or one that there is not.

    They are the letters in the answer that the response names as such, alone or as labels before options; else those
    that the whole response lists, or at the start of its lines; else the one that `extract_choice` reads.
    """
    final = final_answer(response)
    found = letters_in(final)
    lines = [line for line in final.splitlines() if line.strip()]
    if not found and len(lines) > 1 and all(labels := [_LINE.match(line) for line in lines]):
        found = frozenset(label[1].upper() for label in labels if label)
    if not found and named_answer(response) is not None:
        found = frozenset(_LABEL.findall(final))
    if not found and (letter := extract_choice(response, options).letter):
        found = frozenset(letter.upper())
    return found if found <= options.keys() else frozenset()
