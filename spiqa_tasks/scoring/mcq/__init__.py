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

from spiqa_tasks.scoring.mcq.claims import opening, settle
from spiqa_tasks.scoring.mcq.forms import Level
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.reading import Reading
from spiqa_tasks.scoring.mcq.released import released_match
from spiqa_tasks.scoring.mcq.stance import By, stances
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


def _field(reading: Reading) -> frozenset[str]:
    """Return the options that the last field with a letter names."""
    fields = (reading.content(field, False) for _, field in reading.fields)
    return next(filter(None, fields), _NOTHING)


def _last(reading: Reading, level: Level, of_text: bool = False) -> frozenset[str]:
    """Return the options that the last line with a claim of this level leaves standing."""
    for index, line in reading.backwards(reading.unread if of_text else -1):
        claims = [claim for claim in line.claims if claim.of_text <= of_text]
        if any(claim.level == level for claim in claims):
            return settle([claim for claim in claims if claim.level != "stated"], line)
        whole = opening(line, "alone") if level == "named" else None
        if whole is not None and whole.of_text == of_text and not reading.in_listing(index):
            return whole.letters
    return _NOTHING


def _all(reading: Reading) -> frozenset[str]:
    """Return the options that all lines state, or the one that the first line with a mention begins with."""
    lines = list(reading.backwards())
    found = [settle([claim for claim in line.claims if not claim.of_text], line) for _, line in lines]
    if any(found) or not lines:
        return _NOTHING.union(*found)
    index, first = lines[-1]
    claim = opening(first, "lead")
    if claim is None or claim.of_text or len(claim.letters) > 1 or reading.in_listing(index):
        return _NOTHING
    return claim.letters


def _spoken_for(reading: Reading, by: By, after: int = -1) -> frozenset[str]:
    """Return the options that are spoken for: in the last conclusion, else anywhere, else that are only mentioned.

    What is said later of all options, that none can be chosen, takes it back.
    """
    found: dict[int, set[str]] = {1: set(), 0: set()}
    last = None
    for index, line in reading.backwards(after):
        for stance in reversed([stance for stance in stances(line) if stance.by == by]):
            if not stance.strength and reading.in_listing(index):
                continue
            last = last or (index, stance.start)
            if stance.strength == 2:
                return _NOTHING if reading.is_undecided(*last) else stance.letters
            found[stance.strength] |= stance.letters
        lead = None if by != "text" or index else opening(line, "lead")
        if lead and lead.of_text and not reading.in_listing(index):
            last = last or (index, lead.start)
            found[1] |= lead.letters
    if last is None or reading.is_undecided(*last):
        return _NOTHING
    return frozenset(found[1] or found[0])


def _of_text(reading: Reading) -> frozenset[str]:
    """Return the options that are named by their texts; {"?"} where the answer is a value that is no option."""
    content = next((content for _, content in reading.fields if content.strip()), "")
    found = reading.content(content, True) or _last(reading, "named", True) or _spoken_for(reading, "text", reading.unread)
    return found or (_NOTHING if reading.unread < 0 else frozenset("?"))


RULES: Mapping[str, Callable[[Reading], frozenset[str]]] = {
    "field": _field,
    "answer_line": lambda reading: _last(reading, "named"),
    "conclusion": lambda reading: _last(reading, "concluded"),
    "statement": _all,
    "mark": lambda reading: _spoken_for(reading, "mark"),
    "text": _of_text,
    "letter": lambda reading: _spoken_for(reading, "letter") if reading.options.are_labels else _NOTHING,
}
"""From the strongest evidence to the weakest. A rule returns no letter, one, or several that it leaves open."""
