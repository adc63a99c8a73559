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

    texts = options
    labels = list(options)
    # the letter whose text is shown for each letter, and which is scored if that is picked
    places = list(options)
    if kind == "permuted":
        random.Random(f"{seed}/{options}").shuffle(places)
    elif kind == "numbered":
        labels = [str(number) for number in range(1, len(options) + 1)]
    else:
        texts = {**options, _right_letter(options, true_answer()): NONE}

    shown = {
        letter: (label, texts[place])
        for letter, label, place in zip(options, labels, places, strict=True)
    }
    return ShownOptions(options, shown, dict(zip(labels, places, strict=True)))


def _right_letter(options: Mapping[str, str], answer: str) -> str:
    """Return the true answer. Raises InputError: it is the letter of no option."""
    if answer not in options:
        raise InputError(
            f"Expected the true answer to be one of {', '.join(options)}; found {answer[:60]!r}. "
            "Leave options out."
        )
    return answer


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
