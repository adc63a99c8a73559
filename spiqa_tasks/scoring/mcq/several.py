"""Read the letters of an answer that picks several options."""

import re
from collections.abc import Mapping
from string import ascii_letters

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.open_answers import final_answer, named_answer

_JOINT = re.compile(r"[\s,;/&+、，と和]|\b(?:and|et|und)\b", re.IGNORECASE)
_LABEL = re.compile(r"(?<![^\s(\[*,;])([A-Z])(?=[)\].:])")
_LINE = re.compile(r"\s{0,9}[-*]?\s{0,9}[(\[*]{0,3}([A-Za-z])[)\].:]")


def letters_in(text: str) -> frozenset[str]:
    """Return the upper-case letters of a text that lists nothing else: `b, e`, `BE`, `(B) and (E)`; else none."""
    stripped = (part.strip("()[]\"'*.:。") for part in _JOINT.split(text) if part)
    parts = [part for part in stripped if part]
    if (
        len(parts) == 1
        and (parts[0].isupper() or parts[0].islower())
        and sorted({*parts[0]}) == [*parts[0]]
    ):
        parts = [*parts[0]]  # `BE`: letters in order
    are_letters = len(parts) <= len(ascii_letters) and all(
        part in ascii_letters and len(part) == 1 for part in parts
    )
    return frozenset("".join(parts).upper()) if are_letters else frozenset()


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
