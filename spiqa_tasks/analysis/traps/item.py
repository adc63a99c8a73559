"""What a trap is made of, and what one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """A question with its reference.

    Attributes:
        question: it.
        reference: its true answer.
        others: true answers to other questions that are wrong for this one, those of the same paper first.
        place: its number among all questions, from 0.
    """

    question: str
    reference: str
    others: Sequence[str]
    place: int


@dataclass(frozen=True)
class Trap:
    """A rule that makes answers whose right verdict is known.

    Attributes:
        name: of the rule.
        right: whether its answers mean what the reference means.
        about: what it does, for people.
        make: the answer to a question; None where the rule does not fit its reference.
    """

    name: str
    right: bool
    about: str
    make: Callable[[Item], str | None]


def lowered(text: str) -> str:
    """Return an answer as it stands inside a sentence: without a full stop, and a plain first word in lower case."""
    text = text.removesuffix(".")
    first = text.partition(" ")[0]
    return text[0].lower() + text[1:] if first in _PLAIN else text


_PLAIN = frozenset(("The", "About", "With", "By", "At", "To", "It", "In", "Each", "Transmitting", "No", "Yes"))
