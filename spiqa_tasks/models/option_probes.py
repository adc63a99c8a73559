"""Blind probes of choices: options permuted, without the right one, or numbered; answers are mapped back."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import with_last_turn
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.options import options_in

PROBES = ("permuted", "without_answer", "numbered")
"""`permuted`: the texts move, the letters stay; `without_answer`: `NONE` in the place of the right text; `numbered`:
1 and 2 for A and B."""
NONE = "none of these"
_LETTER_WORD = re.compile(r"\bletter(?=s?\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """A question's options as a model sees them.

    Attributes:
        options: letter -> text in the task, which a prompt has to have.
        labels: letter of a place -> label that stands there.
        texts: letter of a place -> text that stands there.
        letters: label -> letter that the host scores.
    """

    options: Mapping[str, str]
    labels: Mapping[str, str]
    texts: Mapping[str, str]
    letters: Mapping[str, str]

    def rewritten(self, prompt: str) -> str:
        """Return a prompt with these options. Raises InputError: it does not have the task's options."""
        end, tail = len(prompt), ""
        for letter, text in reversed(list(self.options.items())):
            start = prompt.rfind(text, 0, end)
            label = prompt.rfind(letter, 0, max(start, 0))
            between = prompt[label + 1 : start]
            if (
                not text
                or label < 0
                or len(between) > len(".) \n ")
                or any(sign.isalnum() for sign in between)
            ):
                raise _not_found(prompt)
            behind = (
                self._worded(prompt[start + len(text) : end])
                if not tail
                else prompt[start + len(text) : end]
            )
            tail = f"{self.labels[letter]}{between}{self.texts[letter]}{behind}{tail}"
            end = label
        return self._worded(prompt[:end]) + tail

    def own_answer(self, response: str) -> str:
        """Return the letter that the host scores, or a response without a choice, its letters mapped back."""
        shown = {self.labels[letter]: text for letter, text in self.texts.items()}
        choice = extract_choice(response, shown)
        if choice.letter is not None:
            return self.letters[choice.letter]
        if choice.rule == "refusal":
            return response
        return re.sub(r"\b[A-J]\b", lambda label: self.letters.get(label[0], label[0]), response)

    def _worded(self, text: str) -> str:
        is_numbered = self.labels != {letter: letter for letter in self.labels}
        return _LETTER_WORD.sub("number", text) if is_numbered else text


def shown_options(prompt: str, kind: str, seed: int, answer: Callable[[], str]) -> Shown:
    """Return a prompt's options as a probe shows them; `answer` gives the right letter. Raises InputError: none."""
    options = options_in(prompt)
    if not options:
        raise _not_found(prompt)
    letters = list(options)
    labels = dict(zip(letters, letters, strict=True))
    if kind == "permuted":
        moved = list(letters)
        random.Random(f"{seed}/{options}").shuffle(moved)
        texts = {letter: options[other] for letter, other in zip(letters, moved, strict=True)}
        return Shown(options, labels, texts, dict(zip(letters, moved, strict=True)))
    if kind == "numbered":
        labels = {letter: str(place) for place, letter in enumerate(letters, 1)}
        return Shown(options, labels, options, {label: letter for letter, label in labels.items()})
    right = answer()
    if right not in options:
        known = ", ".join(options)
        raise InputError(
            f"Expected the true answer to be one of {known}; found {right[:60]!r}. Leave options out."
        )
    return Shown(options, labels, {**options, right: NONE}, labels)


def with_options(hook: Callable[..., Any], shown: Shown) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`: the last text with the options gets them as they are shown."""

    def probed(texts: list[str]) -> list[str]:
        place = max((place for place, text in enumerate(texts) if options_in(text)), default=None)
        if place is None:
            raise _not_found(str(texts))
        return [*texts[:place], shown.rewritten(texts[place]), *texts[place + 1 :]]

    return with_last_turn(hook, probed)


def _not_found(prompt: str) -> InputError:
    return InputError(
        f"Expected options with letters in the prompt for a probe, found none in {prompt[-200:]!r}. Leave options out."
    )
