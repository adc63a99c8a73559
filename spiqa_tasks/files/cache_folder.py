"""The folder in which everything is kept that may be made or fetched again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from spiqa_tasks.errors import DataError


def cache_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that `SPIQA_TASKS_CACHE` names (`~` expanded), else the platform's user cache folder."""
    root = environ.get("SPIQA_TASKS_CACHE")
    return Path(os.path.expanduser(root)) if root else Path(platformdirs.user_cache_dir("spiqa-tasks"))


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of `cache_path`, made if missing.

    Raises:
        DataError: the folder cannot be made.
    """
    path = cache_path(environ)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Expected a writable cache folder at {path}: {error}. Set SPIQA_TASKS_CACHE.") from error
    return path
