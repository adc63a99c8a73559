"""Verdicts that were paid for: a SQLite file with a checksum for each."""

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict
from spiqa_tasks.printable import counted, say

# Seconds to wait for a locked file on opening and closing it, when no answer is held up.
LOCKED_SECONDS = 10.0

# Longest wait of a write while answers arrive, all of which it holds up.
_BUSY_SECONDS = 0.1

# Pause after a failed write.
_RETRY_SECONDS = 1.0

# The checksum tells a verdict that a broken disk changed from one that was stored.
_TABLE = (
    "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT, checksum INTEGER)"
    " WITHOUT ROWID"
)

# Words of SQLite's errors that are no sign of damage.
_IN_THE_WAY = ("locked", "readonly", "read-only", "full", "unable to open", "disk I/O")

# Fields of a verdict that are stored; the others follow from them.
_KEPT = ("text", "top_logprobs", "model", "prompt_tokens", "completion_tokens", "adapted")


def request_key(config: JudgeConfig, fingerprint: str, request: JudgeRequest) -> str:
    """Return sha256 of everything that shapes a verdict: images by content, keys never.

    `fingerprint` distinguishes judges of the same name, such as two versions of a local model's
    files.
    """
    fields: dict[str, Any] = {
        "provider": config.provider,
        "model": config.model,
        "base_url": config.url,
        "fingerprint": fingerprint,
        "extra": config.extra,
        **asdict(request),
        "images": [
            hashlib.sha256(Path(image).read_bytes()).hexdigest() for image in request.images
        ],
    }
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


class VerdictCache:
    """Stored verdicts; a context manager that several processes may use at the same time.

    Failures are never stored. A row that cannot be read, or whose checksum differs, is missing. A
    file that is damaged as a whole, or another program's, is moved aside with a remark. Verdicts
    that cannot be written count in `unstored`; stderr says why at the first one, and at the end how
    many.

    `path`: the file; None to store nothing.

    Raises JudgeError: the file is there and cannot be read; going on would pay for its verdicts
    again.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._file = 0  # inode of the open file: another process may have put a new one at the path
        self._waiting: dict[str, Verdict] = {}
        self._next_try = 0.0
        self._last_error = ""
        self._is_warned = False
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open(path)
        except (OSError, sqlite3.Error) as error:
            self._last_error = str(error)
            if path.is_file() and path.stat().st_size:  # a full disk leaves an empty file
                self._renew(error)

    def __enter__(self) -> "VerdictCache":
        return self

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.execute(f"PRAGMA busy_timeout = {1000 * LOCKED_SECONDS:.0f}")
            self._write()
        if self._db is not None:  # a damaged file may have been given up
            self._db.close()
        if self.unstored:
            say(
                f"Expected to store {counted(self.unstored, 'verdict')} in the judge's cache"
                f" {self.path}, which failed: {self._last_error}. The next run asks for them again."
                " Make room, or name another folder in SPIQA_TASKS_CACHE."
            )

    @property
    def unstored(self) -> int:
        """Number of verdicts that are not in the file."""
        return len(self._waiting)

    def get(self, keys: Iterable[str]) -> dict[str, Verdict]:
        """Return the stored verdicts among `keys`, marked as cached."""
        verdicts: dict[str, Verdict] = {}
        if self._db is None:
            return verdicts
        chosen = "SELECT * FROM verdicts WHERE key IN (SELECT value FROM json_each(?))"
        try:
            for row in self._db.execute(chosen, [json.dumps(list(keys))]):
                with suppress(TypeError, ValueError, KeyError):  # a damaged row
                    verdicts[row[0].decode()] = _loaded(*row)  # texts come as bytes
        except sqlite3.DatabaseError as error:
            self._renew(error)
            return {}
        return verdicts

    def put(self, key: str, verdict: Verdict) -> None:
        """Store a verdict now, or if that fails with a later one; skip a failed verdict."""
        if self.path is None or not verdict.ok:
            return
        self._waiting[key] = verdict
        if time.monotonic() >= self._next_try:
            self._write()

        is_lost = bool(self._waiting) and "locked" not in self._last_error  # a lock may pass
        if is_lost and not self._is_warned:  # at the first one, while there is time to make room
            self._is_warned = True
            say(
                f"The judge's cache {self.path} cannot be written ({self._last_error}): verdicts"
                " count in this run alone until it can."
            )

    def _write(self) -> None:
        """Write the verdicts that wait; they wait further if that fails."""
        if self._db is None or not self._waiting:
            return
        rows = [_row(key, verdict) for key, verdict in self._waiting.items()]
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._last_error, self._next_try = str(error), time.monotonic() + _RETRY_SECONDS
            if not _is_in_the_way(error):
                self._renew(error)
                self._write()
        else:
            self._waiting = {}

    def _renew(self, error: Exception) -> None:
        """Move a damaged file aside and begin a new one; JudgeError if it is not damaged."""
        assert self.path is not None
        if _is_in_the_way(error):
            raise JudgeError(
                f"Expected to read the judge's cache {self.path}, which failed: {error}. End the"
                " program that uses it, or make room; another SPIQA_TASKS_CACHE may pay twice."
            ) from error
        if self._db is not None:
            self._db.close()

        # another process may have moved the damaged file aside and begun a new one
        was_open = self._db is not None and self.path.exists()
        is_moved = was_open and self.path.stat().st_ino != self._file
        aside = self.path.with_suffix(f".damaged-{time.time_ns()}.sqlite")
        try:
            if not is_moved:
                # the log, too: a process that has the old file open would share it with the new one
                for suffix in ("", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
            self._open(self.path)
        except (OSError, sqlite3.Error) as failure:
            self._db, self._last_error = None, str(failure)
        if not is_moved:
            say(
                f"The judge's cache {self.path} is damaged ({error}); it is now {aside.name}, and a"
                " new one begins."
            )

    def _open(self, path: Path) -> None:
        """Connect to the file, and remember which file it is."""
        self._db = _connected(path)
        self._file = path.stat().st_ino


def _is_in_the_way(error: Exception) -> bool:
    """Return whether an error is a lock or a full disk, for example, and no damage of the file."""
    return any(words in str(error) for words in _IN_THE_WAY)


def _connected(path: Path) -> sqlite3.Connection:
    """Open the file for writing; sqlite3.Error if it is damaged or another program's."""
    db = sqlite3.connect(
        path, timeout=LOCKED_SECONDS, isolation_level=None, check_same_thread=False
    )
    db.text_factory = bytes  # a damaged row may be no Unicode
    try:
        if db.execute("SELECT name FROM sqlite_master").fetchone():
            # before anything is written: this fails for a file of another program
            db.execute("SELECT key, verdict, checksum FROM verdicts LIMIT 1")
        db.execute(_TABLE)
        db.execute("PRAGMA journal_mode=WAL")  # readers and a writer at the same time
        # a commit survives a kill; after a power cut the last few may be gone
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_SECONDS:.0f}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _row(key: str, verdict: Verdict) -> tuple[str, str, int]:
    """Return a verdict as a row of the table: key, JSON, checksum over both."""
    text = json.dumps({name: getattr(verdict, name) for name in _KEPT})
    return key, text, zlib.crc32(text.encode(), zlib.crc32(key.encode()))


def _loaded(key: bytes, text: bytes, checksum: int) -> Verdict:
    """Return the verdict of a row; TypeError, ValueError or KeyError for a damaged one."""
    if zlib.crc32(text, zlib.crc32(key)) != checksum:
        raise ValueError
    fields = json.loads(text)
    fields["top_logprobs"] = tuple(map(tuple, fields["top_logprobs"]))
    return Verdict(cached=True, **fields)
