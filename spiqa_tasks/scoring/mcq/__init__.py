"""Extract the letter that an answer to a multiple-choice question picks, or None with the reason; never a guess.

The rules are tried in order, from the strongest evidence to the weakest; the first that applies decides, with its
letter or with `ambiguous`:

1. `field`: a letter in a field made for the answer. `\\boxed{B}`, `<answer>B</answer>`, `{"answer": "B"}`
2. `answer_line`: the last line that names an answer by its letter, or is nothing but a letter. `Answer: B`
3. `conclusion`: the last line with a conclusion or a correction. `so B`, `therefore, option B`, `wait, it's B`
4. `statement`: what is stated earlier, if it agrees. `B is correct`, `I choose B`, `B, because ...`
5. `mark`: a letter in brackets that a sentence favours, or only mentions. `the third image (B) is most similar`
6. `text`: the same evidence for the text of an option. `The colour is blue, not red.`
7. `letter`: a capital, if the options are pictures. `Point B is closer`

If an answer continues with another question, the first turn that states an answer counts. Without a pick the rule is
`empty`, `refusal`, `ambiguous`, `out_of_range` (a letter or a value that is no option) or `no_match`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.other_matchers import released_match
from spiqa_tasks.scoring.mcq.reading import Reading
from spiqa_tasks.scoring.mcq.rules import RULES
from spiqa_tasks.scoring.mcq.text import plain, shortened, turns
from spiqa_tasks.scoring.refusals import is_refusal

__all__ = ["MATCHER_VERSION", "REASONS", "Choice", "extract_choice", "is_refusal", "released_match"]

MATCHER_VERSION = "4"
"""Incremented with every change that can change a letter; part of every signature."""


@dataclass(frozen=True)
class Choice:
    """The `letter` of the picked option, or None, and the `rule` that fired, or why none did."""

    letter: str | None
    rule: str

    @property
    def reason(self) -> str:
        """The meaning of `rule`: the evidence, or what is missing."""
        return REASONS[self.rule]


REASONS: Mapping[str, str] = {
    "field": "a field made for the answer has its letter",
    "answer_line": "the last line that names an answer, or is nothing but a letter",
    "conclusion": "the last conclusion or correction",
    "statement": "stated, and nothing else is",
    "mark": "the only letter in brackets that is not rejected",
    "text": "the only option whose text is affirmed",
    "letter": "the only option that is mentioned and not rejected",
    "empty": "nothing is written",
    "refusal": "the answer says that it cannot be given",
    "ambiguous": "several options are left open",
    "out_of_range": "the answer is no option",
    "no_match": "no option is chosen",
}
"""Rule -> its meaning."""


def extract_choice(response: str, choices: Mapping[str, str]) -> Choice:
    """Return the option that `response` picks; the module's docstring lists the rules and the reasons for None.

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
    """Return the choice of a turn, and whether it states one (a rule applied, or it is a refusal)."""
    stated = reason = ""
    for name, rule in RULES.items():
        letters = rule(reading)
        if len(letters) == 1 and letters <= keys.keys():
            (letter,) = letters
            return Choice(keys[letter], name), True
        if letters:
            stated = "ambiguous" if len(letters) > 1 else "out_of_range"
            break
    if not plain(reading.text):
        reason = "empty"
    elif reading.declines():
        reason = "refusal"
    others = "ambiguous" if len(reading.mentioned()) > 1 else "no_match"
    return Choice(None, reason or stated or others), bool(stated) or reason == "refusal"


def _check(choices: Mapping[str, str]) -> dict[str, str]:
    keys = {key.upper(): key for key in choices}
    if not keys or len(keys) < len(choices) or not all(re.fullmatch("[A-Z]", letter) for letter in keys):
        raise ValueError(f"expected choices with different letters A to Z as keys, got {list(choices)!r}")
    return keys
