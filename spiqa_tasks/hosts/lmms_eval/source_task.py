"""Any task of the host: its YAML, which a filtered task includes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks


def source_task(task: str, include_path: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the YAML of any task of the host and its values, functions left out.

    For errors see `index_with`.
    """
    require("lmms-eval", "Writing a task")
    from lmms_eval.utils import load_yaml_config

    entry = index_with(task, [] if include_path is None else [include_path]).task_index[task]
    path = Path(entry["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")


def index_with(task: str, include: Sequence[Path]) -> Any:
    """Return the host's index (`TaskManager`) of our tasks, those in folders, and its own if
    `task` needs them.
    """
    with _silently():
        from lmms_eval.tasks import TaskManager

        register_tasks()
        folders = [str(folder) for folder in include]
        found = TaskManager("WARNING", folders, include_defaults=False)
        if task not in found.task_index:  # only then: indexing the host's own tasks takes seconds
            found = TaskManager("WARNING", folders)
    if found.task_index.get(task, {}).get("type") not in ("task", "python_task"):
        raise InputError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML"
            " with --include-path."
        )
    return found


@contextmanager
def _silently() -> Iterator[None]:
    from loguru import logger

    logger.disable("lmms_eval")
    try:
        yield
    finally:
        logger.enable("lmms_eval")
