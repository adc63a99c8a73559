"""Patches of the host's response cache (`--use_cache DIR`).

The host stores answers after all requests, failed ones too, and their texts alone. With the patches
requests are answered in slices, each stored before the next; the next run merges what killed runs
stored; failed requests are asked again; an answer keeps its number of tokens.
"""

import contextlib
import json
import logging
import os
import shutil
import socket
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.after_import import replacing
from spiqa_tasks.hosts.failed_requests import is_request_failure

logger = logging.getLogger("spiqa_tasks")

# Requests per slice, which a killed run can lose; some batches of a local model, to stay fast.
SLICE = 64


def patch(host: Any) -> None:
    """Patch the class `ResponseCache` of the host's module.

    Its log of a run, which has failed requests too, is not replayed: the answers are stored by
    then.
    """
    cache = host.ResponseCache

    @replacing(cache, "create")
    def resumed(create: Any, cache_root: str, **options: Any) -> Any:
        root = Path(cache_root)
        _collect_killed_runs(host, root.parent if cache_root.endswith(".db") else root)
        return create(cache_root, **options)

    @replacing(cache, "execute")
    def in_slices(
        execute: Any, self: Any, lm: Any, reqtype: str, requests: Sequence[Any]
    ) -> list[Any]:
        """Answer the requests slice by slice, so that the cache has all but the last of a killed
        run.
        """
        answers: list[Any] = []
        for start in range(0, len(requests), SLICE):
            answers += execute(self, lm, reqtype, requests[start : start + SLICE])
        return answers

    @replacing(cache, "_is_valid_response")
    def is_answer(is_valid: Any, response: Any, request_type: str) -> bool:
        return is_valid(response, request_type) and not is_request_failure(_text(response))

    @replacing(cache, "_extract_cacheable")
    def with_length(extract: Any, response: Any) -> Any:
        # by its length an answer is known to be cut off, as it was when the model gave it
        counts = getattr(response, "token_counts", None)
        return [response.text, counts.to_dict()] if counts else extract(response)

    cache._replay_audit_log = lambda _self: None


def _collect_killed_runs(host: Any, root: Path) -> None:
    """Merge the answers of killed runs into a copy of `cache.db` that then replaces it.

    A copy, as another run may read the file. A run in progress loses nothing: it merges its answers
    at its end.
    """
    target = root / "cache.db"
    runs = root / "runs"
    lock = runs / ".merge.lock"
    stored = sorted(runs.glob("*/rank_*.db"))
    unmerged = [path for path in stored if not path.with_name(".merged").exists()]
    shards = list(filter(_is_readable, unmerged))
    if not shards:
        return

    _take_over(lock)
    try:
        with host._merge_lock(str(lock)):
            copy = target.with_name(f"cache.{os.getpid()}.tmp")
            if target.exists():
                _back_up(target, copy)
            host.ResponseCache.merge_shards(list(map(str, shards)), str(copy))
            copy.replace(target)
    except TimeoutError:
        logger.warning(
            "The answers of killed runs in %s are not used: %s is held by another process. If none "
            "is running, delete it and run again.",
            runs,
            lock,
        )


def _is_readable(shard: Path) -> bool:
    """Return whether a shard has answers; one that is damaged is set aside, with a warning."""
    try:
        with contextlib.closing(sqlite3.connect(shard)) as database:
            database.execute("SELECT * FROM responses").fetchall()
            database.execute("SELECT * FROM meta").fetchall()
    except sqlite3.OperationalError:
        # Empty: killed before its first slice, or just begun. Locked: in progress.
        return False
    except sqlite3.DatabaseError as error:
        aside = shard.with_name(f"{shard.name}.damaged")
        shard.replace(aside)
        logger.warning(
            "The answers that a killed run stored in %s are lost (%s); the file is now %s.",
            shard,
            error,
            aside.name,
        )
        return False
    return True


def _back_up(source: Path, copy: Path) -> None:
    """Copy a database that others may be writing to."""
    with (
        contextlib.closing(sqlite3.connect(source)) as old,
        contextlib.closing(sqlite3.connect(copy)) as new,
    ):
        old.backup(new)


def _take_over(lock: Path) -> None:
    """Remove the lock of a process of this machine that is dead."""
    if not _is_left_behind(lock):
        return
    # Renamed first: another process may be about to remove it, too.
    aside = lock.with_name(f"{lock.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        lock.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def _is_left_behind(lock: Path) -> bool:
    """Return whether the process that made a lock is gone, as far as this machine can tell."""
    try:
        owner = json.loads((lock / "owner.json").read_text(encoding="utf-8"))
        if owner["hostname"] != socket.gethostname():
            return False
        os.kill(int(owner["pid"]), 0)  # signal 0 only asks whether the process exists
    except ProcessLookupError:
        return True
    except (OSError, ValueError, TypeError, KeyError):
        return False  # not signed yet, or another user's
    return False


def _text(response: Any) -> str:
    """Return the text of an answer in any of the host's forms: itself, with counts of tokens, in
    a list.
    """
    if isinstance(response, list | tuple) and response:
        return _text(response[0])
    return str(getattr(response, "text", response))
