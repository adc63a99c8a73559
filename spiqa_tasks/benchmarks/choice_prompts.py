"""Prompts of the multiple-choice benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks import scifibench_prompts
from spiqa_tasks.benchmarks.prompting import Part, Picture

MMSTAR: dict[str, str] = {
    "letter": "\nAnswer with the option's letter from the given choices directly.",
    "select": "\nPlease select the correct answer from the options above.",
}
"""What follows the question, whose text holds the options; `select` is the wording of VLMEvalKit, the paper's host."""


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The prompt of a row of either benchmark."""
    return _mmstar(row) if row["benchmark"] == "mmstar" else scifibench_prompts.prompt(row)


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    if row["benchmark"] == "mmstar":
        return MMSTAR[row["prompt"]]
    return scifibench_prompts.template(row)


def _mmstar(row: Mapping[str, Any]) -> list[Part]:
    return [*(Picture(path) for path in row["images"]), row["question"] + template(row)]
