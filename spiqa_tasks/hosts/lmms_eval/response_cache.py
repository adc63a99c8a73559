"""Patches of the host's response cache (`--use_cache DIR`), which stores answers after all requests, failed ones too.

With them requests are answered in slices, each stored before the next; the next run merges what killed runs stored;
failed requests are asked again.
"""

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.after_import import replacing
from spiqa_tasks.hosts.failed_requests import is_request_failure

SLICE = 64
"""Requests per slice, which a killed run can lose; several batches of a local model, so that it stays fast."""


def patch(host: Any) -> None:
    """Patch the class `ResponseCache` of the host's module.

    Its log of a run, which has failed requests too, is not replayed: the answers are stored by then.
    """

    @replacing(host.ResponseCache, "create")
    def resumed(create: Any, cache_root: str, **options: Any) -> Any:
        _collect_killed_runs(
            host, Path(cache_root).parent if cache_root.endswith(".db") else Path(cache_root)
        )
        return create(cache_root, **options)

    @replacing(host.ResponseCache, "execute")
    def in_slices(
        execute: Any, self: Any, lm: Any, reqtype: str, requests: Sequence[Any]
    ) -> list[Any]:
        starts = range(0, len(requests), SLICE)
        return [
            answer
            for start in starts
            for answer in execute(self, lm, reqtype, requests[start : start + SLICE])
        ]

    @replacing(host.ResponseCache, "_is_valid_response")
    def is_answer(is_valid: Any, response: Any, request_type: str) -> bool:
        return is_valid(response, request_type) and not is_request_failure(_text(response))

    host.ResponseCache._replay_audit_log = lambda _self: None


def _collect_killed_runs(host: Any, root: Path) -> None:
    """Merge the answers of killed runs into a copy of `cache.db` that then replaces it, as another run may read it.

    A run in progress loses nothing: it merges its answers at its end.
    """
    target, runs = root / "cache.db", root / "runs"
    shards = [
        path for path in sorted(runs.glob("*/rank_*.db")) if not (path.parent / ".merged").exists()
    ]
    if not shards:
        return
    with contextlib.suppress(TimeoutError), host._merge_lock(str(runs / ".merge.lock")):
        copy = target.with_name(f"cache.{os.getpid()}.tmp")
        if target.exists():
            with (
                contextlib.closing(sqlite3.connect(target)) as old,
                contextlib.closing(sqlite3.connect(copy)) as new,
            ):
                old.backup(new)
        host.ResponseCache.merge_shards([str(path) for path in shards], str(copy))
        copy.replace(target)


def _text(response: Any) -> str:
    """Return the text of an answer in any of the host's forms: itself, with counts of tokens, in a list."""
    if isinstance(response, list | tuple) and response:
        return _text(response[0])
    return str(getattr(response, "text", response))
