"""The YAML of any task of the host, which a filtered task includes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks


def source_task(task: str, include_path: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the YAML of any task of the host and its values, functions left out.

    Raises:
        InputError: the host knows no such task.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "Writing a task")
    from loguru import logger

    logger.disable("lmms_eval")
    from lmms_eval.tasks import TaskManager
    from lmms_eval.utils import load_yaml_config

    register_tasks()
    place = str(include_path) if include_path is not None else None
    entry = TaskManager("WARNING", place, include_defaults=False).task_index.get(task)
    if entry is None:  # only then: indexing the host's own tasks takes seconds
        entry = TaskManager("WARNING", place).task_index.get(task)
    logger.enable("lmms_eval")
    if entry is None or entry["type"] not in ("task", "python_task"):
        raise InputError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML with --include-path."
        )
    path = Path(entry["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")
