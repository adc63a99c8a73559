"""The tasks that `spiqa-tasks filter` writes, in a folder that the host's index includes by itself."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.cache import cache_path
from spiqa_tasks.hosts.lmms_eval.registration import index_tasks

logger = logging.getLogger("spiqa_tasks")

KEPT = "kept.json"
"""The file in a written task's folder that lists its questions."""


def user_folder() -> Path:
    """Return the folder with the written tasks, in the cache; it need not exist."""
    return cache_path() / "tasks"


def written_tasks() -> list[Path]:
    """Return the folders of those whose source task is still where it was; the host cannot index another one."""
    found = []
    for listing in sorted(user_folder().glob(f"*/{KEPT}")):
        try:
            source = Path(json.loads(listing.read_text(encoding="utf-8"))["source_yaml"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("The task in %s is left out, its %s cannot be read: %s", listing.parent, KEPT, error)
            continue
        if source.is_file():
            found.append(listing.parent)
        else:
            logger.warning("The task in %s is left out, its source %s is gone.", listing.parent, source)
    return found


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

    index_tasks()
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
