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
