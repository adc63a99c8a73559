"""Prompts of MMStar: the picture and the question, or two solved questions before it for LLM bases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.mmstar.release import question_of
from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.mmstar.shots import ANSWER, AUTHORS_CLOSING, authors_question, authors_turns, shots_text
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.benchmarks.settings import parse_settings

CLOSING: dict[str, str] = {
    "letter": "\nAnswer with the option's letter from the given choices directly.",
    "select": "\nPlease select the correct answer from the options above.",
}
"""What follows the question, whose text holds the options; `select` is the wording of VLMEvalKit, the paper's host."""


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The picture, then the shots of a few-shot row, the question with its options and the closing sentence."""
    if _shots_of(row) == "authors":
        return [*_turns(authors_turns()), *(Picture(path) for path in row["images"]), _authors_text(row)]
    return [*(Picture(path) for path in row["images"]), _shots(row) + row["question"] + _closing(row)]


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    if _shots_of(row) == "authors":
        return "".join(text for _, text in authors_turns())
    return _shots(row) + _closing(row)


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


def _shots(row: Mapping[str, Any]) -> str:
    return shots_text(CLOSING[row["prompt"]]) if is_few_shot(row) else ""


def _closing(row: Mapping[str, Any]) -> str:
    return CLOSING[row["prompt"]] + (f"\n{ANSWER}" if is_few_shot(row) else "")
