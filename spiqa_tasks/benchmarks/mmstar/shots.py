"""The two solved questions before each question of an LLM base (MMStar paper, section 5.1: 2-shot, text only).

The paper does not print its shots. `SHOTS` are our own: world knowledge and arithmetic, in MMStar's form, from no
benchmark, the same two in the same order for every question. They show the form of an answer and teach nothing about
MMStar; their letters differ so that no letter is favoured by both. `AUTHORS` are those of the authors' code (its option
`--in-context`, for Yi and Llama bases), in their spelling.
"""

from __future__ import annotations

from collections.abc import Mapping

ANSWER = "Answer:"
"""Ends the prompt and precedes each shot's letter, so that a base model without chat tuning answers with a letter."""

SHOTS: tuple[tuple[str, str], ...] = (
    ("Which of these numbers is prime?\nOptions: A: 21, B: 27, C: 29, D: 33", "C"),
    ("A shop sells pencils in packs of six. How many packs make 24 pencils?\nOptions: A: 4, B: 3, C: 2, D: 5", "A"),
)
"""(question with its options, answer letter)."""


AUTHORS_SYSTEM = (
    "You are a helpful assistant. If you can't judge the answer, give your guess as to the most likely answer. "
    "Just give the answer, don't say anything beyond that, no analysis required."
)
AUTHORS_CLOSING = (
    "Please select the correct answer from the options above.\n"
    "Answer with the option's letter from the given choices directly, such as answer letter 'A' only."
)
AUTHORS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Which one is the correct caption of this image?",
        (
            "The man is waving his hand.",
            "The man is sitting by the edge of the bathtub, gazing at the woman who is lying in the bathtub taking "
            "a bath.",
            "The boy is carrying the smiling girl on his back.",
            "The two dirty-faced children turn around and gaze intently.",
        ),
        "B",
    ),
    (
        "What's the function of the demonstrated object?",
        ("oepn the door", "drink water", "carry personal belongings", "exercise"),
        "D",
    ),
)
"""(question, options, answer letter)."""


def authors_question(question: str, options: Mapping[str, str]) -> str:
    """Return a question as the authors' code asks it: the options on lines of their own, the closing sentences."""
    lines = "".join(f"{letter}. {text}\n" for letter, text in options.items())
    return f"Question: {question}\nOptions:\n{lines}{AUTHORS_CLOSING}"


def authors_turns() -> list[tuple[str, str]]:
    """Return the turns before the question, as (role, text): the system's, then each shot with its answer."""
    turns = [("system", AUTHORS_SYSTEM)]
    for question, options, answer in AUTHORS:
        lettered = dict(zip("ABCD", options, strict=True))
        turns += [("user", authors_question(question, lettered)), ("assistant", answer)]
    return turns


def own_answer(response: str) -> str:
    """The response without further questions that a base model goes on to write where nothing stops it.

    Not every model class of the host sends the YAML's stop strings. What is cut begins at the blank line before the
    first new list of options; a response that has nothing before it is left whole.
    """
    head, found, _ = response.partition("\nOptions: ")
    own = head.rpartition("\n\n")[0] if found else ""
    return own if own.strip() else response
