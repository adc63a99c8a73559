"""Runs of text-only models."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from host_files import choice_samples, write_run

Filter = Callable[..., tuple[int, list[dict[str, Any]], str]]
"""The fixture `run_filter`: arguments of `filter` -> (exit status, records, stderr)."""


def write_inspectors(
    folder: Path, hits: list[int], models: int = 8, task: str = "t", **options: Any
) -> None:
    """Write runs of `models` models, the first `hits[k]` of which are right on question k."""
    for model in range(models):
        samples = choice_samples([model < hit for hit in hits], **options)
        write_blind(folder, f"m{model}", {task: samples}, stamp=str(model))


def write_blind(folder: Path, model: str, tasks: dict[str, Any], stamp: str = "1") -> None:
    """Write a run of a model that saw no pictures."""
    write_run(folder, "ablated", tasks, f"base={model},ablation=text", stamp)
