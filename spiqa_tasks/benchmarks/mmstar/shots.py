"""The two solved questions before each question of an LLM base (MMStar paper, section 5.1: 2-shot, text only).

The paper does not print its shots. These are our own: world knowledge and arithmetic, in MMStar's form, from no
benchmark, the same two in the same order for every question. They show the form of an answer and teach nothing about
MMStar; their letters differ so that no letter is favoured by both.
"""

from __future__ import annotations

ANSWER = "Answer:"
"""Ends the prompt and precedes each shot's letter, so that a base model without chat tuning answers with a letter."""

SHOTS: tuple[tuple[str, str], ...] = (
    ("Which of these numbers is prime?\nOptions: A: 21, B: 27, C: 29, D: 33", "C"),
    ("A shop sells pencils in packs of six. How many packs make 24 pencils?\nOptions: A: 4, B: 3, C: 2, D: 5", "A"),
)
"""(question with its options, answer letter)."""


def shots_text(closing: str) -> str:
    """The text before the question: each shot with `closing` after its question, its answer and a blank line."""
    return "".join(f"{question}{closing}\n{ANSWER} {letter}\n\n" for question, letter in SHOTS)


def own_answer(response: str) -> str:
    """The response without further questions that a base model goes on to write where nothing stops it.

    Not every model class of the host sends the YAML's stop strings. What is cut begins at the blank line before the
    first new list of options; a response that has nothing before it is left whole.
    """
    head, found, _ = response.partition("\nOptions: ")
    own = head.rpartition("\n\n")[0] if found else ""
    return own if own.strip() else response
