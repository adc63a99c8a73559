"""Verdicts that were paid for once: a SQLite file that several processes share."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import socket
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from spiqa_tasks.files.cache import cache_path
from spiqa_tasks.judge.types import JudgeRequest, Verdict

FILE_NAME = "judge.sqlite"
CLAIM_SECONDS = 900.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, host TEXT, pid INTEGER, expires REAL) WITHOUT ROWID;
"""
_CHUNK = 500

Claim = Verdict | Literal["mine", "theirs"]


def request_key(provider: str, model: str, base_url: str, fingerprint: str, request: JudgeRequest) -> str:
    """sha256 of everything that shapes a verdict; local images count by content, keys never enter.

    `fingerprint` tells apart what the names do not, such as two versions of the files of a local model.
    """
    fields = {"provider": provider, "model": model, "base_url": base_url, "fingerprint": fingerprint}
    fields |= dataclasses.asdict(request) | {"images": [_image_key(image) for image in request.images]}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _image_key(image: str) -> str:
    if image.startswith(("http://", "https://", "data:")):
        return image
    return hashlib.sha256(Path(image).read_bytes()).hexdigest()


class VerdictCache:
    """Stored verdicts and claims on verdicts that some process is asking for right now.

    A key claimed by a living process is not asked for by another one. A claim ends with the verdict, with the death
    of its process (same machine), or after 15 minutes. Failures are never stored. Use from any thread.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._owner = (socket.gethostname(), os.getpid())
        self._db = _connect(path)

    def get_many(self, keys: Sequence[str]) -> dict[str, Verdict]:
        """The stored verdicts among `keys`, marked as cached."""
        with self._lock:
            return self._select(keys)

    def claim_many(self, keys: Sequence[str]) -> list[Claim]:
        """For each key its verdict, or "mine" (claimed for this process now) or "theirs" (being asked elsewhere)."""
        with self._lock:
            found = self._select(keys)
            if len(found) == len(set(keys)):
                return [found[key] for key in keys]
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                found |= self._select([key for key in keys if key not in found])
                return [found[key] if key in found else self._claim(key) for key in keys]

    def put_many(self, rows: Iterable[tuple[str, Verdict]]) -> None:
        """Store verdicts and end their claims; a failed verdict only ends the claim."""
        rows = list(rows)
        stored = [(key, _dump(verdict), time.time()) for key, verdict in rows if verdict.ok]
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", stored)
            self._db.executemany(
                "DELETE FROM claims WHERE key = ? AND host = ? AND pid = ?", [(key, *self._owner) for key, _ in rows]
            )

    def close(self) -> None:
        """Close the file and give up this process's claims."""
        with self._lock:
            with self._db:
                self._db.execute("DELETE FROM claims WHERE host = ? AND pid = ?", self._owner)
            self._db.close()

    def _select(self, keys: Sequence[str]) -> dict[str, Verdict]:
        found: dict[str, Verdict] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows = self._db.execute(f"SELECT key, verdict FROM verdicts WHERE key IN ({marks})", chunk)
            loaded = ((key, _load(verdict)) for key, verdict in rows)
            found.update((key, verdict) for key, verdict in loaded if verdict is not None)
        return found

    def _claim(self, key: str) -> Literal["mine", "theirs"]:
        now = time.time()
        row = self._db.execute("SELECT host, pid, expires FROM claims WHERE key = ?", (key,)).fetchone()
        if row is not None and tuple(row[:2]) != self._owner and row[2] > now and _alive(row[0], row[1]):
            return "theirs"
        self._db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)", (key, *self._owner, now + CLAIM_SECONDS))
        return "mine"


def open_cache(directory: Path | None) -> VerdictCache | None:
    """Open the cache in `directory` (None: that of `files.cache.cache_path`).

    None, with a warning, where the folder cannot be written. A damaged file is moved aside, with a warning.
    """
    path = (directory or cache_path()) / FILE_NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return VerdictCache(path)
    except sqlite3.OperationalError as error:
        reason = str(error)
    except sqlite3.DatabaseError:
        aside = _move_aside(path)
        warnings.warn(f"The judge's cache {path} was damaged; moved it to {aside} and started a new one.", stacklevel=2)
        return VerdictCache(path)
    except OSError as error:
        reason = error.strerror or str(error)
    warnings.warn(
        f"Verdicts are not kept: the judge's cache {path} cannot be written ({reason}); "
        "set SPIQA_TASKS_CACHE to a writable folder.",
        stacklevel=2,
    )
    return None


def _move_aside(path: Path) -> Path:
    """Rename a damaged file; its write-ahead log goes too, or SQLite would replay it into the new one."""
    aside = path.with_suffix(f".damaged-{int(time.time())}.sqlite")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.replace(aside)
    return aside


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.executescript(_SCHEMA)
        db.execute("DELETE FROM claims WHERE expires < ?", (time.time(),))
    except sqlite3.Error:
        db.close()
        raise
    return db


def _alive(host: str, pid: int) -> bool:
    if host != socket.gethostname() or os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _dump(verdict: Verdict) -> str:
    kept = ("text", "top_logprobs", "model", "prompt_tokens", "completion_tokens", "seconds")
    return json.dumps({name: getattr(verdict, name) for name in kept})


def _load(stored: str) -> Verdict | None:
    """The stored verdict; None for a row of another form, which is then judged anew."""
    try:
        fields = json.loads(stored)
        fields["top_logprobs"] = tuple((token, logprob) for token, logprob in fields["top_logprobs"])
        return Verdict("ok", cached=True, **fields)
    except (ValueError, KeyError, TypeError):
        return None
