"""Prompts of MMStar: the picture and the question, or two solved questions before it for LLM bases.

The paper's LLM bases answer 2-shot, text only (section 5.1), and it does not print its shots. `SHOTS` are our own:
world knowledge and arithmetic, in MMStar's form, from no benchmark, the same two in the same order for every question.
They show the form of an answer and teach nothing about MMStar; their letters differ so that no letter is favoured by
both. `AUTHORS` are those of the authors' code (its option `--in-context`, for Yi and Llama bases), in their spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.mmstar.release import MMStarSettings, question_of, read_options, table_options
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.benchmarks.settings import parse_settings

_LISTED = "Question: {question}\nOptions:\n{options}"
WORDINGS: dict[str, str] = {
    "letter": "{asked}\nAnswer with the option's letter from the given choices directly.",
    "select": "{asked}\nPlease select the correct answer from the options above.",
    "bare": "{asked}",
    "authors": "{question}\n{options}Answer with the option's letter from the given choices directly.",
    "lmms_eval": "{asked}\nAnswer with the option's letter from the given choices directly",
    "lmms_eval_qwen": "Question: {asked}Answer with the option letter only.",
    "vlmevalkit": _LISTED + "Please select the correct answer from the options above. \n",
    "vlmevalkit_qwen": _LISTED + "Answer with the option letter only.",
}
"""`asked` is the question as it is released, its options in its text; `options` are lines such as `A. red`.

`authors`: LLaVA-Next in the authors' code, and LLaVA and InternVL in VLMEvalKit; `lmms_eval` and `lmms_eval_qwen`: the
tasks `mmstar` and `mmstar_qwen` of lmms-eval 0.7.3, without a full stop and without a line end; `vlmevalkit`: models
without a prompt of their own in VLMEvalKit 0.0.20; `vlmevalkit_qwen`: Qwen3-VL there.
"""
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


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """Return the picture, then the shots of a few-shot row, the question with its options and the closing sentence."""
    pictures = [Picture(path) for path in row["images"]]
    if _shots_of(row) == "authors":
        return [*_authors_shots(), *pictures, _authors_text(row)]
    asked = _asked(row["prompt"], row["question"], table_options(row))
    return [*pictures, _shots(row) + asked + (f"\n{ANSWER}" if is_few_shot(row) else "")]


def template(row: Mapping[str, Any]) -> str:
    """Return the wording that the row's prompt is made with, for the signature."""
    if _shots_of(row) == "authors":
        return "".join(part for part in _authors_shots() if isinstance(part, str))
    closing = f"\n{ANSWER}" if is_few_shot(row) else ""
    return _shots(row) + WORDINGS[row["prompt"]].removeprefix("{asked}") + closing


def is_few_shot(row: Mapping[str, Any]) -> bool:
    """Return whether solved questions of our own stand before the row's question, in one text with it."""
    return _shots_of(row) == "2"


def own_answer(response: str) -> str:
    """Return the response without further questions that a base model goes on to write where nothing stops it.

    Not every model class of the host sends the YAML's stop strings. What is cut begins at the blank line before the
    first new list of options; a response that has nothing before it is left whole.
    """
    head, found, _ = response.partition("\nOptions: ")
    own = head.rpartition("\n\n")[0] if found else ""
    return own if own.strip() else response


def _shots_of(row: Mapping[str, Any]) -> str:
    settings: MMStarSettings = parse_settings(MMStarSettings, row["settings"])
    return settings.shots


def _authors_shots() -> list[Part]:
    """The turns before the question, and the beginning of the user's own."""
    parts: list[Part] = [Turn("system"), AUTHORS_SYSTEM]
    for question, options, answer in AUTHORS:
        lettered = dict(zip("ABCD", options, strict=True))
        parts += [Turn("user"), _authors_question(question, lettered), Turn("assistant"), answer]
    return [*parts, Turn("user")]


def _authors_text(row: Mapping[str, Any]) -> str:
    """The question in the form of the authors' shots; as released where its options are not known."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    if not all(options.values()):
        return f"Question: {row['question']}\n{AUTHORS_CLOSING}"
    return _authors_question(question_of(row["question"]), options)


def _authors_question(question: str, options: Mapping[str, str]) -> str:
    return _LISTED.format(question=question, options=_lines(options)) + AUTHORS_CLOSING


def _asked(name: str, text: str, options: Mapping[str, str]) -> str:
    """The question whose released text is `text`, in a wording."""
    return WORDINGS[name].format(asked=text, question=question_of(text), options=_lines(options))


def _lines(options: Mapping[str, str]) -> str:
    return "".join(f"{letter}. {text}\n" for letter, text in options.items())


def _shots(row: Mapping[str, Any]) -> str:
    """The text before the question: each shot in the question's wording, its answer and a blank line."""
    shots = SHOTS if is_few_shot(row) else ()
    asked = ((_asked(row["prompt"], question, read_options(question)), letter) for question, letter in shots)
    return "".join(f"{question}\n{ANSWER} {letter}\n\n" for question, letter in asked)
