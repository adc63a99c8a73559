"""Patches of the host's response cache (`--use_cache DIR`): it survives a killed run and keeps no failed request.

The host stores answers after all requests, merges a run into `cache.db` at its end, and stores a failed request as an
answer. With the patches requests are answered in slices, each stored before the next; the next run merges what killed
runs stored; failed requests are asked again.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.after_import import replacing
from spiqa_tasks.hosts.failed_requests import FAILURE_MARKERS, is_request_failure

SLICE = 64
"""Requests per slice, which a killed run can lose; several batches of a local model, so that it stays fast."""


def patch(host: Any) -> None:
    """Patch the class `ResponseCache` of the host's module."""

    @replacing(host.ResponseCache, "create")
    def resumed(create: Any, cache_root: str, **options: Any) -> Any:
        collect_killed_runs(host, Path(cache_root).parent if cache_root.endswith(".db") else Path(cache_root))
        opened = create(cache_root, **options)
        _drop_failures(opened.db)  # of the log that it replayed
        return opened

    @replacing(host.ResponseCache, "execute")
    def in_slices(execute: Any, self: Any, lm: Any, reqtype: str, requests: Sequence[Any]) -> list[Any]:
        starts = range(0, len(requests), SLICE)
        return [answer for start in starts for answer in execute(self, lm, reqtype, requests[start : start + SLICE])]

    @replacing(host.ResponseCache, "_is_valid_response")
    def is_answer(is_valid: Any, response: Any, request_type: str) -> bool:
        return is_valid(response, request_type) and not any(map(is_request_failure, _texts(response)))


def collect_killed_runs(host: Any, root: Path) -> None:
    """Merge the answers of killed runs into `cache.db`, and delete failed requests from it.

    Works on a copy that then replaces the file, as another run may read it. A run in progress loses nothing: it merges
    its answers at its end.
    """
    target, runs = root / "cache.db", root / "runs"
    shards = [path for path in sorted(runs.glob("*/rank_*.db")) if not (path.parent / ".merged").exists()]
    if not shards and not _has_failures(target):
        return
    runs.mkdir(exist_ok=True)
    with contextlib.suppress(TimeoutError), host._merge_lock(str(runs / ".merge.lock")):
        copy = target.with_name(f"cache.{os.getpid()}.tmp")
        if target.exists():
            with contextlib.closing(sqlite3.connect(target)) as old, contextlib.closing(sqlite3.connect(copy)) as new:
                old.backup(new)
        host.ResponseCache.merge_shards([str(path) for path in shards], str(copy))
        with contextlib.closing(sqlite3.connect(copy)) as merged:
            _drop_failures(merged)
        copy.replace(target)


def kept_answers(root: Path) -> int:
    """Return the number of answers in a cache folder, including those of killed runs."""
    keys: set[str] = set()
    for path in (root / "cache.db", *root.glob("runs/*/rank_*.db")):
        if path.is_file():
            with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as db:
                keys.update(key for (key,) in db.execute("SELECT cache_key FROM responses"))
    return len(keys)


_FAILED = " OR ".join(f"instr(response, '{marker}')" for marker in FAILURE_MARKERS)


def _has_failures(path: Path) -> bool:
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(path)) as db:
        return bool(_failures(db))


def _drop_failures(db: sqlite3.Connection) -> None:
    with db:
        db.executemany("DELETE FROM responses WHERE cache_key = ?", _failures(db))


def _failures(db: sqlite3.Connection) -> list[tuple[str]]:
    """Return the keys of stored failed requests; a response is the JSON of a text or of a list with one."""
    rows = db.execute(f"SELECT cache_key, response FROM responses WHERE {_FAILED}").fetchall()
    return [(key,) for key, response in rows if any(map(is_request_failure, _texts(json.loads(response))))]


def _texts(response: Any) -> Iterator[str]:
    """Yield the text of an answer in any of the host's forms."""
    if isinstance(response, str):
        yield response
    elif isinstance(response, list | tuple) and response:
        yield from _texts(response[0])
    elif isinstance(text := getattr(response, "text", None), str):
        yield text
