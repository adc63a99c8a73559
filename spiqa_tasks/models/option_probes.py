"""Blind probes of choices: options permuted, without the right one, or numbered.

Answers are mapped back to the letters that the host scores.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation import Messages, with_last_turn
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.options import options_in

# `permuted`: the texts move, the letters stay; `without_answer`: `NONE` in the place of the right
# text; `numbered`: 1 and 2 for A and B.
PROBES = ("permuted", "without_answer", "numbered")
NONE = "none of these"
_LETTER_WORD = re.compile(r"\bletter(?=s?\b)", re.IGNORECASE)
# Signs between an option's letter and its text, such as `.) ` and the end of a line.
_LONGEST_GAP = 5


@dataclass(frozen=True)
class ShownOptions:
    """A question's options as a model sees them.

    Attributes:
        options: letter -> text in the task, which a prompt has to have.
        shown: letter in the task -> label and text that the model sees instead.
        letters: label -> letter that the host scores.
    """

    options: Mapping[str, str]
    shown: Mapping[str, tuple[str, str]]
    letters: Mapping[str, str]

    def rewritten(self, prompt: str) -> str:
        """Return a prompt with these options: lines `A. cat`, `B. dog` become `1. cat`, `2. dog`.

        Raises InputError: it lacks one of the task's options.
        """
        # From the end: the question before the options may mention their texts.
        head, tail = prompt, ""
        for letter, text in reversed(list(self.options.items())):
            listed = _last_option(head, letter, text)
            if listed is None:
                raise _not_found(prompt)
            rest = head[listed.end() :]
            if not tail:  # behind the last option: the task's instruction
                rest = self._instruction(rest)
            label, shown_text = self.shown[letter]
            tail = f"{label}{listed[1]}{shown_text}{rest}{tail}"
            head = head[: listed.start()]
        return self._instruction(head) + tail

    def mapped_back(self, response: str) -> str:
        """Return the letter that the host scores, or a response without a choice, mapped."""
        choice = extract_choice(response, dict(self.shown.values()))
        if choice.letter is not None:
            return self.letters[choice.letter]
        if choice.rule == "refusal":
            return response
        return re.sub(r"\b[A-J]\b", lambda label: self.letters.get(label[0], label[0]), response)

    def _instruction(self, text: str) -> str:
        """Return a text that asks for a number instead of a letter if the labels are numbers."""
        is_numbered = any(label.isdigit() for label in self.letters)
        return _LETTER_WORD.sub("number", text) if is_numbered else text


def _last_option(prompt: str, letter: str, text: str) -> re.Match[str] | None:
    """Return the last listing of an option; its group 1 is between letter and text."""
    if not text:
        return None
    listed = re.compile(rf"{letter}(\W{{0,{_LONGEST_GAP}}}){re.escape(text)}")
    return max(listed.finditer(prompt), key=lambda match: match.start(), default=None)


def shown_options(
    prompt: str, kind: str, seed: int, true_answer: Callable[[], str]
) -> ShownOptions:
    """Return a prompt's options as a probe shows them; `true_answer` gives the right letter.

    Raises InputError: a prompt without options, or without the right one.
    """
    options = options_in(prompt)
    if not options:
        raise _not_found(prompt)
    if kind == "permuted":
        return _permuted(options, seed)
    if kind == "numbered":
        return _numbered(options)
    return _without_answer(options, true_answer())


def _permuted(options: Mapping[str, str], seed: int) -> ShownOptions:
    """Move the texts to other letters, in an order drawn from the seed and the options."""
    moved = list(options)
    random.Random(f"{seed}/{options}").shuffle(moved)
    letters_of = dict(zip(options, moved, strict=True))
    shown = {letter: (letter, options[other]) for letter, other in letters_of.items()}
    return ShownOptions(options, shown, letters_of)


def _numbered(options: Mapping[str, str]) -> ShownOptions:
    """Label the options 1, 2, ... instead of A, B, ...."""
    letters_of = {str(number): letter for number, letter in enumerate(options, 1)}
    shown = {letter: (label, options[letter]) for label, letter in letters_of.items()}
    return ShownOptions(options, shown, letters_of)


def _without_answer(options: Mapping[str, str], right: str) -> ShownOptions:
    """Replace the text of the right option by `NONE`. Raises InputError: no such letter."""
    if right not in options:
        raise InputError(
            f"Expected the true answer to be one of {', '.join(options)}; found {right[:60]!r}. "
            "Leave options out."
        )
    texts = {**options, right: NONE}
    shown = {letter: (letter, text) for letter, text in texts.items()}
    return ShownOptions(options, shown, {letter: letter for letter in options})


def with_options(messages: Messages, shown: ShownOptions) -> Messages:
    """Return messages whose last text with options has those shown."""

    def probed(texts: list[str]) -> list[str]:
        """Return the texts of a prompt with the last one that has options rewritten.

        Raises InputError: none has options.
        """
        listing = [index for index, text in enumerate(texts) if options_in(text)]
        if not listing:
            raise _not_found(str(texts))
        texts[listing[-1]] = shown.rewritten(texts[listing[-1]])
        return texts

    return with_last_turn(messages, probed)


def _not_found(prompt: str) -> InputError:
    """Return the error for a prompt without the options that a probe changes."""
    return InputError(
        "Expected options with letters in the prompt for a probe, found none in "
        f"{prompt[-200:]!r}. Leave options out."
    )
