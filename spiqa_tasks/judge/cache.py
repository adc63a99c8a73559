"""Verdicts that were paid for: a SQLite file with a checksum for each."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.printable import counted, say

LOCKED_SECONDS = 10.0
"""Wait for a locked file on opening and closing it, when no answer is held up."""
_BUSY_SECONDS, _RETRY_SECONDS = 0.1, 1.0
"""While answers arrive: the longest wait of a write, which holds up all of them, and the pause after a failed one."""
_CHUNK = 500  # SQLite takes at most 999 values in one statement in its older versions
_COLUMNS = ("key", "verdict", "checksum")
_TABLE = "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT, checksum INTEGER) WITHOUT ROWID"
_IN_THE_WAY = ("locked", "readonly", "read-only", "full", "unable to open", "disk I/O")
"""Words of SQLite's errors that are no sign of damage."""
_KEPT = ("text", "top_logprobs", "model", "prompt_tokens", "completion_tokens")


def request_key(config: JudgeConfig, fingerprint: str, request: JudgeRequest) -> str:
    """Return sha256 of everything that shapes a verdict; local images count by content, API keys never enter.

    `fingerprint` distinguishes judges of the same name, such as two versions of a local model's files.
    """
    fields = {name: getattr(request, name) for name in ("prompt", "max_tokens", "top_logprobs", "lookup", "repeat")}
    fields |= {name: getattr(config, name) for name in ("provider", "model", "extra")}
    fields |= (
        {"draws": request.draws, "thoughts": request.thoughts} if request.draws else {}
    )  # else the keys of stored verdicts would change
    images = [
        image
        if image.startswith(("http://", "https://", "data:"))
        else hashlib.sha256(Path(image).read_bytes()).hexdigest()
        for image in request.images
    ]
    fields |= {"base_url": config.url, "fingerprint": fingerprint, "images": images}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


class VerdictCache:
    """Stored verdicts; a context manager that several processes may use at the same time.

    Failures are never stored. A row that cannot be read, or whose checksum differs, is missing. A file that is damaged
    as a whole, or another program's, is moved aside with a remark, and what can be read of it goes into a new one.
    Verdicts that cannot be written count in `unstored`, and stderr says why.

    `path`: the file; None to store nothing.

    Raises JudgeError: the file is there and cannot be read; going on would pay for its verdicts again.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self._trouble = path, ""
        self._waiting: dict[str, Verdict] = {}
        self._next_try = 0.0
        self._db = self._opened(path) if path is not None else None

    def __enter__(self) -> VerdictCache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._db is not None and self._waiting:
            self._db.execute(f"PRAGMA busy_timeout = {1000 * LOCKED_SECONDS:.0f}")
            self._write()
        if self._db is not None:
            self._db.close()
        if self.unstored:
            say(
                f"Expected to store {counted(self.unstored, 'verdict')} in the judge's cache {self.path}, which "
                f"failed: {self._trouble}. They count in this run; the next one asks for them again. Make room, end "
                "the program that has locked it, or name a folder that can be written in SPIQA_TASKS_CACHE."
            )

    @property
    def unstored(self) -> int:
        """Number of verdicts that are not in the file."""
        return len(self._waiting)

    def get(self, keys: Iterable[str]) -> dict[str, Verdict]:
        """Return the stored verdicts among `keys`, marked as cached."""
        wanted = sorted(set(keys))  # rows lie in the order of their keys, so that neighbours are read together
        try:
            return dict(self._read(wanted))
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise self._unreadable(error) from error
            self._renew(error)
            return dict(self._read(wanted))

    def put(self, key: str, verdict: Verdict) -> None:
        """Store a verdict now, or, if the file cannot be written, with a later one or at the end; skip a failed one."""
        if self.path is not None and verdict.ok:
            self._waiting[key] = verdict
            if time.monotonic() >= self._next_try:
                self._write()

    def _read(self, keys: list[str]) -> Iterator[tuple[str, Verdict]]:
        for start in range(0, len(keys) if self._db is not None else 0, _CHUNK):
            assert self._db is not None
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            yield from _sound(self._db.execute(f"SELECT * FROM verdicts WHERE key IN ({marks})", chunk))

    def _write(self) -> None:
        while self._db is not None:
            try:
                _insert(self._db, self._waiting)
            except sqlite3.Error as error:
                self._trouble, self._next_try = str(error), time.monotonic() + _RETRY_SECONDS
                if not _is_damage(error):
                    return
                self._renew(error)
            else:
                self._waiting = {}
                return

    def _opened(self, path: Path) -> sqlite3.Connection | None:
        """Open the file, created if missing and read-only if not writable; None if it cannot be created either."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _connected(path)
        except (OSError, sqlite3.Error) as error:
            self._trouble = getattr(error, "strerror", None) or str(error)
            if not path.is_file() or not path.stat().st_size:  # a full disk leaves an empty file
                return None
            if _is_damage(error):
                return self._moved(path, error)
        try:
            return _connected(path, "?mode=ro")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise self._unreadable(error) from error
        try:
            return _connected(path, "?mode=ro&immutable=1")  # of a read-only folder, in which SQLite cannot write
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: sqlite3.Error) -> JudgeError:
        return JudgeError(
            f"Expected to read the judge's cache {self.path}, which failed: {error}. Wait until the program that uses "
            "it has ended, make room, or name another folder in SPIQA_TASKS_CACHE; judging without may pay twice."
        )

    def _renew(self, error: sqlite3.Error) -> None:
        assert self._db is not None
        assert self.path is not None
        self._db.close()
        self._db = self._moved(self.path, error)

    def _moved(self, path: Path, error: Exception) -> sqlite3.Connection | None:
        """Move the file aside and copy what can be read of its verdicts, from either end up to the damage."""
        aside = path.with_suffix(f".damaged-{time.time_ns()}.sqlite")
        rows: dict[str, Verdict] = {}
        try:
            for suffix in ("", "-wal", "-shm"):  # SQLite would replay the old log into the new file
                with suppress(FileNotFoundError):
                    os.replace(f"{path}{suffix}", f"{aside}{suffix}")
            for order in ("ASC", "DESC"):
                with suppress(sqlite3.Error), closing(_plain(aside)) as old:
                    for key, verdict in _sound(old.execute(f"SELECT * FROM verdicts ORDER BY key {order}")):
                        rows[key] = verdict
            db = _connected(path)
            _insert(db, rows)
        except (OSError, sqlite3.Error) as failure:
            self._trouble = str(failure)
            return None
        say(
            f"The judge's cache {path} could not be used ({error}); it is now {aside.name}, and "
            f"{counted(len(rows), 'verdict')} of it can be read and went into a new one."
        )
        return db


def _plain(path: Path, options: str = "") -> sqlite3.Connection:
    uri = path.resolve().as_uri() + options
    db = sqlite3.connect(uri, timeout=LOCKED_SECONDS, isolation_level=None, check_same_thread=False, uri=True)
    db.text_factory = bytes  # a damaged row may be no Unicode
    return db


def _connected(path: Path, read_only: str = "") -> sqlite3.Connection:
    """Open the file, for writing without options; sqlite3.DatabaseError if it is damaged or another program's."""
    db = _plain(path, read_only)
    try:
        columns = tuple(row[1].decode() for row in db.execute("PRAGMA table_info(verdicts)"))
        is_new = not read_only and not db.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        if columns != _COLUMNS and not is_new:  # before anything is written
            raise sqlite3.DatabaseError("it is a database of something else")
        if read_only:
            return db
        db.execute("PRAGMA journal_mode=WAL")  # readers and a writer at the same time
        db.execute("PRAGMA synchronous=NORMAL")  # a commit survives a kill; after a power cut the last few may be gone
        db.execute(_TABLE)
        db.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_SECONDS:.0f}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and not any(words in str(error) for words in _IN_THE_WAY)


def _insert(db: sqlite3.Connection, verdicts: Mapping[str, Verdict]) -> None:
    texts = [
        (key, json.dumps({name: getattr(verdict, name) for name in _KEPT}).encode())
        for key, verdict in verdicts.items()
    ]
    rows = [(key, text.decode(), zlib.crc32(text, zlib.crc32(key.encode()))) for key, text in texts]
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)


def _sound(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, Verdict]]:
    """Yield key and verdict of the rows whose checksum is right."""
    for key, text, checksum in rows:
        with suppress(TypeError, ValueError, KeyError):  # a column of another type, or a missing field
            if zlib.crc32(text, zlib.crc32(key)) == checksum:
                fields = json.loads(text)
                if not (fields["text"].strip() or fields["top_logprobs"]):
                    continue  # an answer without a word is no verdict; some files have such rows
                pairs = tuple((sys.intern(token), logprob) for token, logprob in fields.pop("top_logprobs"))
                model = fields.pop("model")
                fields |= {"model": model and sys.intern(model), "top_logprobs": pairs}
                yield key.decode(), Verdict("ok", cached=True, **fields)
