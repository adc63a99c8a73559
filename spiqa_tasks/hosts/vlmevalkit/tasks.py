"""Our tasks for the host: their rows and prompts."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.prompting import Picture, Turn, chat_content
from spiqa_tasks.benchmarks.registry import Task, benchmark_of, load_rows
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks

Row = Mapping[str, Any]
# Suffix of model names, so that runs of the same model in lmms-eval stay apart.
HOST = "host=vlmevalkit"


@cache
def known() -> tuple[dict[str, Task], dict[str, tuple[str, ...]]]:
    """Return task name -> task, including filtered ones, and group name -> members."""
    return catalogue(filtered_tasks())


@cache
def rows_of(name: str) -> list[Row]:
    """Return the rows of a task. Raises DataError: release files missing or damaged."""
    tasks, _ = known()
    task = tasks[name]
    rows = load_rows(task.benchmark_name, task.split, task.settings_text)
    if task.kept is None:
        return list(rows)
    return [row for row in rows if row["id"] in task.kept]


def message(row: Row) -> list[dict[str, str]]:
    """Return the prompt of a row in the host's form: texts and paths of pictures.

    Adjacent texts are joined. The host has no chat turns: a blank line separates them, as for
    lmms-eval's simple models.
    """
    parts = ["\n\n" if isinstance(part, Turn) else part for part in benchmark_of(row).prompt(row)]
    if parts[0] == "\n\n":
        del parts[0]

    found = []
    for part in chat_content(parts, "path"):
        key = "text" if part["type"] == "text" else "url"
        found.append({"type": part["type"], "value": part[key]})
    return found


def picture_paths(row: Row) -> list[str]:
    """Return the paths of the pictures in a row's prompt."""
    return [part.path for part in benchmark_of(row).prompt(row) if isinstance(part, Picture)]


@cache
def most_pictures(name: str) -> int:
    """Return the largest number of pictures that a row of a task shows."""
    return max((len(picture_paths(row)) for row in rows_of(name)), default=0)


def too_many_pictures(task: str, model_class: type) -> str:
    """Return the sentence for a model class that is shown the first of several pictures only."""
    return (
        f"Expected a model class that takes several pictures for {task}, found "
        f"{model_class.__name__}, which is shown the first one only. Run a task that shows one at "
        "a time, such as spiqa_testA_perfigure."
    )
