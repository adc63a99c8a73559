"""The host's cache of model answers (`--use_cache DIR`), which keeps failed requests as if they were answers."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.hosts.failed_requests import is_request_failure


def drop_failures(folder: Path) -> int:
    """Delete the failed requests from a cache folder of the host; return how many answers of the model were failures.

    They are deleted from the databases and from the logs beside them, which the host would replay. No run may use the
    folder meanwhile.

    Raises:
        InputError: the folder holds no such cache, or one that cannot be changed.
    """
    databases = sorted([*folder.glob("cache.db"), *folder.glob("runs/*/rank_*.db")])
    if not databases:
        raise InputError(
            f"Expected the folder of lmms-eval's --use_cache, found no cache.db in {folder}. Name that one."
        )
    dropped: set[str] = set()
    try:
        for path in databases:
            dropped |= _drop_from_database(path)
        for path in sorted([*folder.glob("*.audit.jsonl"), *folder.glob("runs/*/*.audit.jsonl")]):
            dropped |= _drop_from_log(path)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"Expected a cache of lmms-eval in {folder} that can be changed, found {error}.") from error
    return len(dropped)


def _drop_from_database(path: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        rows = db.execute("SELECT cache_key, response FROM responses")
        failed = {key for key, response in rows if _is_failure(response)}
        db.executemany("DELETE FROM responses WHERE cache_key = ?", [(key,) for key in failed])
    return failed


def _drop_from_log(path: Path) -> set[str]:
    kept, failed = [], set()
    for line in path.read_text(encoding="utf-8").split("\n"):
        with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
            entry = json.loads(line)
            if _is_failure(entry.get("response")):
                failed.add(str(entry.get("cache_key")))
                continue
        kept.append(line)
    if failed:
        write_atomically(path, "\n".join(kept).encode())
    return failed


def _is_failure(response: Any) -> bool:
    """Whether a stored response, JSON of a text or of a list with one, is the host's marker of a failure."""
    try:
        value = json.loads(response)
    except (ValueError, TypeError, RecursionError):
        value = response
    return any(is_request_failure(text) for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple) and value:
        yield from _texts(value[0])
    elif isinstance(value, dict):
        yield from _texts(value.get("text"))
