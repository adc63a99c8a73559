"""Prompts of the multiple-choice benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.mmstar_shots import ANSWER, shots_text
from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.data.mmstar import MMStarSettings
from spiqa_tasks.settings import parse_settings

MMSTAR: dict[str, str] = {
    "letter": "\nAnswer with the option's letter from the given choices directly.",
    "select": "\nPlease select the correct answer from the options above.",
}
"""What follows the question, whose text holds the options; `select` is the wording of VLMEvalKit, the paper's host."""

_ONLY = "Only provide the letter of the correct {kind} as your answer. "
FIG2CAP = "Which of the captions best describes the image? Let's think step by step. "
CAP2FIG = "Which of the images best matches the caption? Let's think step by step. "
SCIFIBENCH: dict[str, dict[str, str]] = {
    "letter": {
        "fig2cap": FIG2CAP + _ONLY.format(kind="caption") + "Answer:",
        "cap2fig": CAP2FIG + _ONLY.format(kind="image") + "Answer:",
    },
    "reasoning": {"fig2cap": FIG2CAP + "\nAnswer:", "cap2fig": CAP2FIG + "\nAnswer:"},
}
"""Prompt name -> direction -> the closing text (SciFIBench paper, appendix G.1; `reasoning`: I.2)."""


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The prompt of a row of either benchmark."""
    return _mmstar(row) if row["benchmark"] == "mmstar" else _scifibench(row)


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    if row["benchmark"] == "mmstar":
        return _shots(row) + _mmstar_closing(row)
    return SCIFIBENCH[row["prompt"]][row["subcategory"]]


def _mmstar(row: Mapping[str, Any]) -> list[Part]:
    return [*(Picture(path) for path in row["images"]), _shots(row) + row["question"] + _mmstar_closing(row)]


def _shots(row: Mapping[str, Any]) -> str:
    return shots_text(MMSTAR[row["prompt"]]) if is_few_shot(row) else ""


def _mmstar_closing(row: Mapping[str, Any]) -> str:
    return MMSTAR[row["prompt"]] + (f"\n{ANSWER}" if is_few_shot(row) else "")


def is_few_shot(row: Mapping[str, Any]) -> bool:
    """Whether solved questions stand before the row's question."""
    if row["benchmark"] != "mmstar":
        return False
    return parse_settings(MMStarSettings, row["settings"]).shots == "2"


def _scifibench(row: Mapping[str, Any]) -> list[Part]:
    """Figure -> caption: the figure, the captions. Caption -> figure: the figures, the caption. Then the question."""
    pictures = [Picture(path) for path in row["images"]]
    if row["subcategory"] == "fig2cap":
        lines = [f"{letter}) {text}\n" for letter, text in zip(row["letters"], row["options"], strict=True)]
        return [*pictures, "\n" if pictures else "", "".join(lines) + template(row)]
    parts: list[Part] = []
    for index, letter in enumerate(row["letters"]):
        parts += [f"{letter}) ", *pictures[index : index + 1], "\n"]
    return [*parts, f"{row['question']}\n{template(row)}"]
