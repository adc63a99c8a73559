"""Find the folders of users' tasks: written by `filter`, or named by `SPIQA_TASKS_INCLUDE`."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import cache_path

logger = logging.getLogger("spiqa_tasks")

INCLUDE = "SPIQA_TASKS_INCLUDE"
KEPT = "kept.json"
"""The file in a filtered task's folder that lists its questions."""
DAMAGED = (OSError, ValueError, KeyError, TypeError, RecursionError)
"""Errors of reading a damaged one."""


def user_folder() -> Path:
    """Return the folder of the filtered tasks, in the cache; it need not exist."""
    return cache_path() / "tasks"


def included_folders(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the folders with YAMLs of tasks of one's own that `SPIQA_TASKS_INCLUDE` names.

    Raises:
        InputError: one of them is no folder.
    """
    found = [Path(os.path.expanduser(text)) for text in environ.get(INCLUDE, "").split(os.pathsep) if text]
    for path in found:
        if not path.is_dir():
            raise InputError(f"Expected {INCLUDE} to name folders with YAMLs of tasks, found {path}. Correct it.")
    return found


def filtered_tasks() -> list[Path]:
    """Return the folders of those whose source task is still where it was; the host cannot index another one."""
    found = []
    for listing in sorted(user_folder().glob(f"*/{KEPT}")):
        try:
            source = Path(json.loads(listing.read_text(encoding="utf-8"))["source_yaml"])
        except DAMAGED as error:
            logger.warning("The task in %s is left out, its %s cannot be read: %s", listing.parent, KEPT, error)
            continue
        if source.is_file():
            found.append(listing.parent)
        else:
            logger.warning("The task in %s is left out, its source %s is gone.", listing.parent, source)
    return found
