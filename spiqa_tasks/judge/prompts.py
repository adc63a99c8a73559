"""The prompts of L3Score, and how a candidate answer is kept from imitating them."""

from __future__ import annotations

import hashlib
import re

from spiqa_tasks.errors import InputError

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

REMOVED = "[removed]"

_INVISIBLE = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*"


def _phrase(words: str) -> str:
    """The words in any case, with anything but letters and digits between them and invisible characters inside."""
    return r"[\W_]{1,8}".join(_INVISIBLE.join(word) for word in words.split())


_LABELS = "|".join(_phrase(label) for label in ("ground truth answer", "candidate answer"))
_COLON = r"[\s*_\"'`]{0,8}[:：]"
_FRAME = re.compile(
    "|".join(
        (
            rf"\b(?:{_LABELS}){_COLON}",
            rf"^[^\w\n]{{0,8}}{_phrase('question')}{_COLON}",
            _phrase("is the semantic meaning of the ground truth and candidate answers") + r"(?:[\W_]{1,8}similar)?\??",
            _phrase("answer in one word") + rf"(?:[\W_]{{1,8}}{_phrase('yes or no')})?",
            _phrase("you are given a question"),
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)


def neutralise(prediction: str) -> str:
    """The candidate answer with whatever imitates the judge's prompt replaced by `[removed]`.

    Replaced, in any case and with any punctuation, line break or invisible character between or inside the words: the
    labels "Ground-truth answer:" and "Candidate answer:" anywhere, "Question:" at the start of a line, and the
    prompt's own sentences "You are given a question", "Is the semantic meaning of the ground-truth and candidate
    answers similar?" and "Answer in one word - Yes or No". Any other answer is returned unchanged, byte for byte.
    Look-alike letters of other alphabets are not recognised.
    """
    return _FRAME.sub(REMOVED, prediction)


def l3_prompt(name: str, question: str, reference: str, prediction: str) -> str:
    """What the judge is asked about one answer, under the named prompt. Raises InputError for an unknown name."""
    return _template(name).format(question=question, reference=reference, prediction=neutralise(prediction))


def prompt_hash(name: str) -> str:
    """The first 12 hex digits of the sha256 of the named prompt, for signatures."""
    return hashlib.sha256(_template(name).encode()).hexdigest()[:12]


def _template(name: str) -> str:
    if name not in PROMPTS:
        raise InputError(f"Unknown L3Score prompt {name!r}; expected one of {', '.join(PROMPTS)}.")
    return PROMPTS[name]
