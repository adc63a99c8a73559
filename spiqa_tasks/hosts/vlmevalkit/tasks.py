"""Our tasks by name, their rows and prompts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.benchmarks.registry import benchmark_of, load_rows
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.files.pictures import page_path
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.filtered_tasks import filtered_tasks

Row = Mapping[str, Any]


@cache
def known() -> tuple[dict[str, Task], dict[str, tuple[str, ...]]]:
    """Return task name -> task, including filtered ones, and group name -> members."""
    return catalogue(filtered_tasks())


@cache
def rows_of(name: str) -> list[Row]:
    """Return the rows of a task.

    Raises:
        DataError: release files missing, unreadable or not in the release's format.
    """
    task = known()[0][name]
    rows = load_rows(task.entry, task.split, task.settings)
    return [row for row in rows if task.kept is None or row["id"] in task.kept]


def message(row: Row) -> list[dict[str, str]]:
    """Return the prompt of a row in the host's form: texts and picture paths, interleaved, adjacent texts joined.

    The host has no chat turns: a blank line separates them, as for lmms-eval's simple models.
    """
    parts: list[dict[str, str]] = []
    for part in _prompt(row):
        if isinstance(part, Picture):
            parts.append({"type": "image", "value": page_path(part.path)})
        elif parts and parts[-1]["type"] == "text":
            parts[-1]["value"] += part if isinstance(part, str) else "\n\n"
        elif isinstance(part, str):
            parts.append({"type": "text", "value": part})
    return parts


@cache
def pictures(name: str) -> tuple[int, int]:
    """Return the minimum and maximum number of pictures of a task's rows."""
    counts = [sum(isinstance(part, Picture) for part in _prompt(row)) for row in rows_of(name)]
    return min(counts, default=0), max(counts, default=0)


def _prompt(row: Row) -> list[Part]:
    return benchmark_of(row).prompt(row)
