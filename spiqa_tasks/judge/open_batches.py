"""Batches that were handed over and not collected yet: one file beside the cache of verdicts, one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

from filelock import FileLock, Timeout

from spiqa_tasks.errors import JudgeError

LOCKED_SECONDS = 600.0


class OpenBatch(TypedDict):
    """A batch: whom it was handed to, since when (Unix time, just before), and its name there once that is known.

    `tops` holds for each request's key how many log-probabilities it asks for; None: a written answer.
    """

    judge: str
    url: str
    since: float
    id: str | None
    tops: dict[str, int | None]


@contextmanager
def open_batches(path: Path) -> Iterator[dict[str, OpenBatch]]:
    """Yield the batches in a file, by their tags, with other processes kept out.

    Raises:
        JudgeError: another process is at them for ten minutes, or a file that cannot be read.
    """
    try:
        with FileLock(f"{path}.lock", timeout=LOCKED_SECONDS):
            try:
                opened = json.loads(path.read_bytes()) if path.exists() else {}
                sound = all(batch.keys() == OpenBatch.__required_keys__ for batch in opened.values())
            except (OSError, ValueError, AttributeError, RecursionError):
                sound = False
            if not sound:
                raise JudgeError(
                    f"Expected the list of open batches in {path}, found something else. Restore it, or delete it to "
                    "give up the batches that it named: their requests would be paid again."
                )
            yield opened
    except Timeout:
        raise JudgeError(f"Expected {path} to be free, found another process at it. Run the command again.") from None
