"""Prompts of MMStar: the picture and the question, or two solved questions before it for LLM bases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.mmstar.release import question_of, read_options, table_options
from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.mmstar.shots import ANSWER, AUTHORS_CLOSING, SHOTS, authors_question, authors_turns
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


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The picture, then the shots of a few-shot row, the question with its options and the closing sentence."""
    if _shots_of(row) == "authors":
        return [*_turns(authors_turns()), *(Picture(path) for path in row["images"]), _authors_text(row)]
    asked = _asked(row["prompt"], row["question"], table_options(row))
    closing = f"\n{ANSWER}" if is_few_shot(row) else ""
    return [*(Picture(path) for path in row["images"]), _shots(row) + asked + closing]


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    if _shots_of(row) == "authors":
        return "".join(text for _, text in authors_turns())
    closing = f"\n{ANSWER}" if is_few_shot(row) else ""
    return _shots(row) + WORDINGS[row["prompt"]].removeprefix("{asked}") + closing


def is_few_shot(row: Mapping[str, Any]) -> bool:
    """Whether solved questions of our own stand before the row's question, in one text with it."""
    return _shots_of(row) == "2"


def _shots_of(row: Mapping[str, Any]) -> str:
    return parse_settings(MMStarSettings, row["settings"]).shots


def _turns(turns: Iterable[tuple[str, str]]) -> list[Part]:
    """The turns, and the beginning of the user's own."""
    parts: list[Part] = []
    for role, text in turns:
        parts += [Turn(role), text]
    return [*parts, Turn("user")]


def _authors_text(row: Mapping[str, Any]) -> str:
    """The question in the form of the authors' shots; as released where its options are not known."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    if not all(options.values()):
        return f"Question: {row['question']}\n{AUTHORS_CLOSING}"
    return authors_question(question_of(row["question"]), options)


def _asked(name: str, text: str, options: Mapping[str, str]) -> str:
    """The question whose released text is `text`, in a wording."""
    lines = "".join(f"{letter}. {option}\n" for letter, option in options.items())
    return WORDINGS[name].format(asked=text, question=question_of(text), options=lines)


def _shots(row: Mapping[str, Any]) -> str:
    """The text before the question: each shot in the question's wording, its answer and a blank line."""
    shots = SHOTS if is_few_shot(row) else ()
    asked = ((_asked(row["prompt"], question, read_options(question)), letter) for question, letter in shots)
    return "".join(f"{question}\n{ANSWER} {letter}\n\n" for question, letter in asked)
