"""Extract the letter that an answer to a multiple-choice question picks, or None with the reason;
never a guess.

An answer makes claims. A claim is a place in a line where the answer commits to options, and has

- a cue, a word of `words.py` that commits (`answer`, `so`, `correct`, `choose`), or a place that
  does: a field, a line of its own, the beginning of the answer
- the options that it names, by their letters or by their texts
- a certainty, which is the rule that reads it, from the strongest to the weakest:

  1. `answer_line`: the last answer that is named, also in a field, by a letter, else by a text;
      else the last line that is nothing but a letter, with or without its option's text. `Answer:
      B`, `\\boxed{B}`, `<answer>B</answer>`, `{"answer": "B"}`
  2. `conclusion`: the last conclusion or correction. `so B`, `therefore, option B is right`, `wait,
      it's B`
  3. `statement`: what is stated earlier, if it agrees. `B is correct`, `I choose B`, `B, because
      ...`
  4. `mark`: a letter in brackets, or behind `option`, that a sentence favours, or only mentions.
      `the third image (B) is most similar`
  5. `text`: the same evidence for the text of an option. `the sky is blue`; one that is concluded
      is read by 2
  6. `letter`: a capital, if the options are pictures. `Point B is closer`

A claim is cancelled where its clause denies, supposes or asks it; where it begins a listing of the
options, which claims them all; where the answer was cut within it, or as it thought again; and
where a later sentence says that no option is right, unless the claim is in a field. Claims of the
strongest certainty decide: one option, or several and the answer is `ambiguous`; so is one that
names three answers or more in turn. If an answer continues with another question, the first turn
that claims anything counts. Without a pick the rule is `empty`, `refusal`, `ambiguous`,
`out_of_range` (a letter or a value that is no option), `truncated` or `no_match`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from spiqa_tasks.scoring.mcq.options import options_of, with_letters
from spiqa_tasks.scoring.mcq.reading import RULES, Reading
from spiqa_tasks.scoring.mcq.text import (
    cleaned,
    ends_early,
    plain,
    turns,
    without_echo,
)

# Incremented with every change that can change a letter; part of every signature.
MATCHER_VERSION = "29"


@dataclass(frozen=True)
class Choice:
    """The `letter` of the picked option, or None, and the `rule` that fired, or why none did."""

    letter: str | None
    rule: str

    @property
    def reason(self) -> str:
        """The meaning of `rule`: the evidence, or what is missing."""
        return REASONS[self.rule]


# Rule -> its meaning.
REASONS: Mapping[str, str] = {
    "answer_line": "the last line that names an answer, or is nothing but a letter",
    "conclusion": "the last conclusion or correction",
    "statement": "stated, and nothing else is",
    "mark": "the only letter in brackets, or behind `option`, that is not rejected",
    "text": "the only option whose text is affirmed",
    "letter": "the only option that is mentioned and not rejected",
    "empty": "nothing is written",
    "refusal": "the answer says that it cannot be given",
    "truncated": "the answer was cut off before it chose",
    "ambiguous": "several options are left open",
    "out_of_range": "the answer is no option",
    "no_match": "no option is chosen",
}


# The rule that is believed of a cut answer: the others get 589 of 10,700 real answers that are cut
# at a third wrong.
_CERTAIN = "answer_line"

_LETTERS = frozenset(ascii_uppercase)


def extract_choice(
    response: str, choices: Mapping[str, str], *, truncated: bool | None = None, prompt: str = ""
) -> Choice:
    """Return the option that `response` picks; the module's docstring lists the rules and the
    reasons for None.

    Args:
        choices: each option's letter, or whatever label the task has (`2`, `②`, `ア`) -> its text
            ("" if the option is a picture).
        truncated: whether the answer was cut off, as the host says; None: judged by its length and
            end.
        prompt: the text that the model was asked; lines that repeat it are not read.

    Raises ValueError: no option, more than 26, or keys that are not different labels of at most
    three characters.
    """
    keys = _keys(choices)
    parts = turns(without_echo(cleaned(response), prompt))
    is_cut = ends_early(response) if truncated is None else truncated
    options = options_of(tuple((letter, choices[key]) for letter, key in keys.items()))

    reason = "empty"
    for turn in parts:
        text = with_letters(turn, keys, choices)
        reading = Reading(text, options, is_cut and turn is parts[-1])
        if choice := _read(reading, keys):
            return choice
        if reason == "empty":
            reason = _reason(reading)
    return Choice(None, reason)


def _read(reading: Reading, keys: Mapping[str, str]) -> Choice | None:
    """Return what the strongest claims of a turn choose, or that it is a refusal; None if it
    claims nothing.
    """
    letters = frozenset[str]()
    for name, rule in RULES:
        if reading.is_cut and name != _CERTAIN:
            continue
        if letters := rule(reading):
            break

    if len(letters) == 1 and letters <= keys.keys():
        (letter,) = letters
        return Choice(keys[letter], name)
    if reading.declines():
        return Choice(None, "refusal")
    if letters:
        return Choice(None, "ambiguous" if len(letters) > 1 else "out_of_range")
    return None


def _reason(reading: Reading) -> str:
    """Return why a turn claims nothing."""
    if not plain(reading.text):
        return "empty"
    if reading.is_cut:
        return "truncated"
    return "ambiguous" if len(reading.mentioned()) > 1 else "no_match"


def _keys(choices: Mapping[str, str]) -> dict[str, str]:
    """Return letter -> key: the key's own, or those from A on for labels that are no letters."""
    keys = {key.upper(): key for key in choices}
    if not keys.keys() <= _LETTERS:
        keys = dict(zip(ascii_uppercase, choices, strict=False))
    is_usable = all(re.fullmatch(r"\S{1,3}", key) for key in choices)
    if not keys or len(keys) < len(choices) or not is_usable:
        raise ValueError(
            "expected choices with different letters or short labels as keys, got"
            f" {list(choices)!r}"
        )
    return keys
