"""The YAML of any task of the host, which a filtered task includes, and the index that knows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks


class UnknownTaskError(InputError):
    """The host knows no task of a name."""


def source_task(task: str, include_path: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the YAML of any task of the host and its values, functions left out.

    Raises:
        UnknownTaskError: the host knows no such task.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "Writing a task")
    from lmms_eval.utils import load_yaml_config

    entry = index_with(task, [] if include_path is None else [include_path]).task_index[task]
    path = Path(entry["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")


def index_with(task: str, include: Sequence[Path]) -> Any:
    """Return the host's index (`TaskManager`) of our tasks and those in folders; of its own where `task` is of these.

    Raises:
        UnknownTaskError: the host knows no such task.
    """
    from loguru import logger

    logger.disable("lmms_eval")
    from lmms_eval.tasks import TaskManager

    register_tasks()
    places = [str(folder) for folder in include]
    found = TaskManager("WARNING", places, include_defaults=False)
    if task not in found.task_index:  # only then: indexing the host's own tasks takes seconds
        found = TaskManager("WARNING", places)
    logger.enable("lmms_eval")
    if found.task_index.get(task, {}).get("type") not in ("task", "python_task"):
        raise UnknownTaskError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML with --include-path."
        )
    return found
