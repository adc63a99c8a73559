"""Prompts of the multiple-choice benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks import mmstar_prompts, scifibench_prompts
from spiqa_tasks.benchmarks.prompting import Part


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The prompt of a row of either benchmark."""
    return mmstar_prompts.prompt(row) if row["benchmark"] == "mmstar" else scifibench_prompts.prompt(row)


def template(row: Mapping[str, Any]) -> str:
    """The wording that the row's prompt is made with, for the signature."""
    return mmstar_prompts.template(row) if row["benchmark"] == "mmstar" else scifibench_prompts.template(row)
