"""The prompts of L3Score."""

from __future__ import annotations

import hashlib

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.sanitize import sanitize, shortened

DEFAULT_PROMPT = "released"

PROMPTS: dict[str, str] = {
    # The wording of the authors' released script.
    "released": (
        "You are given a question, ground-truth answer, and a candidate answer. Question: {question} \n"
        "Ground-truth answer: {reference} \n"
        "Candidate answer: {prediction} \n"
        "Is the semantic meaning of the ground-truth and candidate answers similar? "
        "Answer in one word - Yes or No."
    ),
    # SPIQA, Fig. F.1, line for line.
    "paper": (
        "You are given a question, ground-truth answer, and a candidate\n"
        "answer.\n"
        "\n"
        "Question: {question}\n"
        "Ground-truth answer: {reference}\n"
        "Candidate answer: {prediction}\n"
        "\n"
        "Is the semantic meaning of the ground-truth and candidate answers\n"
        "similar? Answer in one word - Yes or No."
    ),
}


def l3_prompt(name: str, question: str, reference: str, prediction: str) -> str:
    """Return what the judge is asked about one answer, under the named prompt.

    The answer is neutralised, and shortened where it is very long (see `sanitize`).

    Raises:
        InputError: an unknown name.
    """
    prediction = sanitize(shortened(prediction))
    return _template(name).format(question=question, reference=reference, prediction=prediction)


def prompt_hash(name: str) -> str:
    """The first 12 hex digits of the sha256 of the named prompt, for signatures."""
    return hashlib.sha256(_template(name).encode()).hexdigest()[:12]


def _template(name: str) -> str:
    if name not in PROMPTS:
        raise InputError(f"Unknown L3Score prompt {name!r}; expected one of {', '.join(PROMPTS)}.")
    return PROMPTS[name]
