"""Which option of a multiple-choice question an answer picks: a letter, or None with the reason; never a guess.

The rules below are tried in order, from the strongest evidence to the weakest; the first that applies decides, with
its letter or with `ambiguous`:

1. `field`: a field made for the answer. `\\boxed{B}`, `<answer>B</answer>`, `{"answer": "B"}`
2. `answer_line`: the last line that names an answer, or is nothing but an option. `Answer: B`, `The answer is (B) blue`
3. `conclusion`: the last line with a conclusion or a correction. `so B`, `therefore, option B`, `wait, it's B`
4. `statement`: what is stated earlier, if it agrees. `B is correct`, `I choose B`, `B, because ...`
5. `text`: the text of the only option that is affirmed. `The colour is blue, not red.`

Without a pick the rule is `empty`, `refusal`, `ambiguous`, `out_of_range` (a letter that is no option) or `no_match`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spiqa_tasks.scoring.mcq.claims import affirmed, opening, settle
from spiqa_tasks.scoring.mcq.fields import fields_in
from spiqa_tasks.scoring.mcq.forms import Level
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.reading import Reading
from spiqa_tasks.scoring.mcq.released import released_match
from spiqa_tasks.scoring.mcq.text import plain, shortened
from spiqa_tasks.scoring.mcq.turns import turns
from spiqa_tasks.scoring.refusals import is_refusal

__all__ = ["MATCHER_VERSION", "Choice", "extract_choice", "is_refusal", "released_match"]

MATCHER_VERSION = "3"
"""Raised with every change that can change a letter; it is in every signature."""

_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Choice:
    """The option that was picked (`letter`, or None) and the rule that fired, or why none did (`rule`)."""

    letter: str | None
    rule: str


def extract_choice(response: str, choices: Mapping[str, str]) -> Choice:
    """Return the option that `response` picks; the module's text lists the rules and the reasons for None.

    `choices` maps each option's letter to its text ("" where the option is a picture). Raises ValueError unless
    `choices` has at least one option and every key is one of the letters A to Z, in one case, at most once.
    """
    keys = _check(choices)
    text = shortened(response)
    for option in choices.values():
        if "\n" in option:
            text = text.replace(option, " ".join(option.split()))
    options = Options({letter: choices[key] for letter, key in keys.items()})
    unread = Choice(None, "empty")
    for turn in turns(text):
        choice, stated = _read(Reading(turn, options), keys)
        if stated:
            return choice
        unread = choice if unread.rule == "empty" else unread
    return unread


def _read(reading: Reading, keys: Mapping[str, str]) -> tuple[Choice, bool]:
    """Return what a turn picks, or the reason why not, and whether a rule applied."""
    for name, rule in RULES.items():
        letters = rule(reading)
        if len(letters) == 1 and letters <= keys.keys():
            (letter,) = letters
            return Choice(keys[letter], name), True
        if letters and not is_refusal(reading.text):
            return Choice(None, "ambiguous" if len(letters) > 1 else "out_of_range"), True
        if letters:
            return Choice(None, "refusal"), True
    if not plain(reading.text):
        return Choice(None, "empty"), False
    if is_refusal(reading.text):
        return Choice(None, "refusal"), False
    return Choice(None, "ambiguous" if len(reading.mentioned()) > 1 else "no_match"), False


def _check(choices: Mapping[str, str]) -> dict[str, str]:
    keys = {key.upper(): key for key in choices}
    if not keys or len(keys) < len(choices) or not all(re.fullmatch("[A-Z]", letter) for letter in keys):
        raise ValueError(f"expected choices with different letters A to Z as keys, got {list(choices)!r}")
    return keys


def _field(reading: Reading, of_text: bool) -> frozenset[str]:
    """Return the options that the last field with one names."""
    fields = (reading.content(field, of_text) for field in fields_in(reading.text))
    return next(filter(None, fields), _NOTHING)


def _last(reading: Reading, level: Level, of_text: bool) -> frozenset[str]:
    """Return the options that the last line with a claim of this level leaves standing."""
    for index, line in reading.backwards():
        claims = [claim for claim in line.claims if claim.of_text <= of_text]
        if any(claim.level == level for claim in claims):
            return settle([claim for claim in claims if claim.level != "stated"], line)
        whole = opening(line, "alone") if level == "named" else None
        if whole is not None and whole.of_text == of_text and not reading.in_listing(index):
            return whole.letters
    return _NOTHING


def _all(reading: Reading, of_text: bool) -> frozenset[str]:
    """Return the options that all lines state, or the one that the first line with a mention begins with."""
    lines = list(reading.backwards())
    found = [settle([claim for claim in line.claims if claim.of_text <= of_text], line) for _, line in lines]
    if any(found) or not lines:
        return _NOTHING.union(*found)
    index, first = lines[-1]
    claim = opening(first, "lead")
    if claim is None or claim.of_text > of_text or len(claim.letters) > 1 or reading.in_listing(index):
        return _NOTHING
    return claim.letters


def _affirmed(reading: Reading) -> frozenset[str]:
    """Return the options whose texts the last sentence with an option's text affirms."""
    lines = (line for index, line in reading.backwards() if not reading.in_listing(index))
    return next(filter(None, map(affirmed, lines)), _NOTHING)


RULES: Mapping[str, Callable[[Reading], frozenset[str]]] = {
    "field": lambda reading: _field(reading, False),
    "answer_line": lambda reading: (
        _last(reading, "named", False) or _field(reading, True) or _last(reading, "named", True)
    ),
    "conclusion": lambda reading: _last(reading, "concluded", False),
    "statement": lambda reading: _all(reading, False),
    "text": lambda reading: _last(reading, "concluded", True) or _all(reading, True) or _affirmed(reading),
}
"""From the strongest evidence to the weakest. A rule returns no letter, one, or several that it leaves open."""
