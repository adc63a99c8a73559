"""Prompts of MMStar: the picture and the question, or two solved questions before it for LLM bases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.mmstar.shots import ANSWER, shots_text
from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.benchmarks.settings import parse_settings

CLOSING: dict[str, str] = {
    "letter": "\nAnswer with the option's letter from the given choices directly.",
    "select": "\nPlease select the correct answer from the options above.",
}
"""What follows the question, whose text holds the options; `select` is the wording of VLMEvalKit, the paper's host."""


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The picture, then the shots of a few-shot row, the question with its options and the closing sentence."""
    return [*(Picture(path) for path in row["images"]), _shots(row) + row["question"] + _closing(row)]


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    return _shots(row) + _closing(row)


def is_few_shot(row: Mapping[str, Any]) -> bool:
    """Whether solved questions stand before the row's question."""
    return parse_settings(MMStarSettings, row["settings"]).shots == "2"


def _shots(row: Mapping[str, Any]) -> str:
    return shots_text(CLOSING[row["prompt"]]) if is_few_shot(row) else ""


def _closing(row: Mapping[str, Any]) -> str:
    return CLOSING[row["prompt"]] + (f"\n{ANSWER}" if is_few_shot(row) else "")
