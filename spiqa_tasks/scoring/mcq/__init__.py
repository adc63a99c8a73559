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

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from spiqa_tasks.scoring.mcq.options import Options, with_letters, with_letters_of_positions
from spiqa_tasks.scoring.mcq.reading import RULES, Reading
from spiqa_tasks.scoring.mcq.text import ends_early, plain, shortened, turns, without_echo

MATCHER_VERSION = "6"
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
    "truncated": "the answer was cut off before it chose",
    "ambiguous": "several options are left open",
    "out_of_range": "the answer is no option",
    "no_match": "no option is chosen",
}
"""Rule -> its meaning."""


_WEAK = frozenset(("statement", "mark", "text", "letter"))
"""Rules that read what a cut answer may take back: of 10,700 real answers cut at a third they get 589 wrong."""

_LETTERS = frozenset(ascii_uppercase)
_BARE = re.compile(r"\s*\(?([A-Z])[.)]?\s*")
"""An answer that is only an option's letter: what the rules find for it, at a twentieth of the time."""


def extract_choice(
    response: str, choices: Mapping[str, str], *, truncated: bool | None = None, prompt: str = ""
) -> Choice:
    """Return the option that `response` picks; the module's docstring lists the rules and the reasons for None.

    Args:
        choices: each option's letter, or whatever label the task has (`2`, `②`, `ア`) -> its text ("" if the option is
            a picture).
        truncated: whether the answer was cut off, as the host says; None: judged by its length and end.
        prompt: the text that the model was asked; lines that repeat it are not read.

    Raises ValueError: no option, more than 26, or keys that are not different labels of at most three characters.
    """
    keys = _check(choices)
    if (bare := _BARE.fullmatch(response)) and keys.get(bare[1]) == bare[1]:
        return Choice(bare[1], "answer_line")
    text = without_echo(shortened(response), prompt)
    is_cut = ends_early(response) if truncated is None else truncated
    labels = {
        unicodedata.normalize("NFKC", key).upper(): letter
        for letter, key in keys.items()
        if key.upper() != letter
    }
    text = with_letters(text, labels) if labels else with_letters_of_positions(text, choices)
    for option in choices.values():
        if "\n" in option:
            text = text.replace(option, " ".join(option.split()))
    options = Options({letter: choices[key] for letter, key in keys.items()})
    unread = Choice(None, "empty")
    parts = turns(text)
    for place, turn in enumerate(parts):
        choice, stated = _read(Reading(turn, options, is_cut and place == len(parts) - 1), keys)
        if stated:
            return choice
        unread = choice if unread.rule == "empty" else unread
    return unread


def _read(reading: Reading, keys: Mapping[str, str]) -> tuple[Choice, bool]:
    """Return the choice of a turn, and whether it states one (a rule applied, or it is a refusal)."""
    stated = reason = ""
    for name, rule in RULES.items():
        letters = rule(reading) if not reading.is_cut or name not in _WEAK else frozenset[str]()
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
    others = (
        "truncated"
        if reading.is_cut
        else "ambiguous"
        if len(reading.mentioned()) > 1
        else "no_match"
    )
    return Choice(None, reason or stated or others), bool(stated) or reason == "refusal"


def _check(choices: Mapping[str, str]) -> dict[str, str]:
    """Return letter -> key: the key's own, or those from A on for labels that are no letters."""
    keys = {key.upper(): key for key in choices}
    are_letters = keys.keys() <= _LETTERS
    found = keys if are_letters else dict(zip(ascii_uppercase, keys.values(), strict=False))
    is_usable = are_letters or all(re.fullmatch(r"\S{1,3}", key) for key in choices)
    if not found or len(found) < len(choices) or not is_usable:
        raise ValueError(
            f"expected choices with different letters or short labels as keys, got {list(choices)!r}"
        )
    return found
