"""Verdicts that were paid for once: a SQLite file that several processes share."""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.judge.cache_entry import dump, load
from spiqa_tasks.judge.cache_file import connect
from spiqa_tasks.judge.types import Verdict
from spiqa_tasks.printable import counted

FILE_NAME = "judge.sqlite"
BEAT_SECONDS = 2.0
"""How often a process that is asking writes its heartbeat."""
SILENT_SECONDS = 10.0
"""How old a heartbeat may be before others ask in its process's place."""
LOCKED_SECONDS = 10.0
"""How long to wait for a locked file."""
_CHUNK = 500
fork_lock = threading.RLock()
"""Held around uses of SQLite and late imports, and while the process forks: their locks stay locked in a child."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release)


class Owner(NamedTuple):
    """A process that is asking for a verdict."""

    host: str
    pid: int


Claim = Verdict | Literal["mine"] | Owner


class VerdictCache:
    """Stored verdicts and claims on verdicts that some process is asking for right now.

    A key claimed by a living process is not asked for by another one. A process with claims writes a heartbeat every
    two seconds; its claims end with the verdicts, with its death (seen at once on the same machine), or when its
    heartbeat has not changed for ten seconds by the reader's clock, so that machines need not agree on the time.
    Failures are never stored. Where the file can only be read, stored verdicts are found and nothing is claimed or
    stored. Use from any thread.
    """

    def __init__(self, path: Path, locked_seconds: float = LOCKED_SECONDS) -> None:
        self._path = path
        self._owner = Owner(socket.gethostname(), os.getpid())
        with fork_lock:
            self._db, self.writable = connect(path, locked_seconds)
        self._claimed: set[str] = set()
        self._unsaved: list[tuple[str, Verdict]] = []
        self.trouble = ""
        """Why the last verdicts could not be stored; empty where they were."""
        self._dropped: set[str] = set()
        self._seen: dict[str, tuple[float, float]] = {}
        self._closing = threading.Event()
        self._heart: threading.Thread | None = None

    def __str__(self) -> str:
        return str(self._path)

    def get_many(self, keys: Sequence[str]) -> dict[str, Verdict]:
        """Return the stored verdicts among `keys`, marked as cached; rows that cannot be read are dropped and told."""
        with fork_lock:
            return self._select(keys)

    def claim_many(self, keys: Sequence[str]) -> list[Claim]:
        """Return for each key its verdict, or "mine" (to be asked by this process now), or who else is asking."""
        with fork_lock:
            found: dict[str, Claim] = dict(self._select(keys))
            missing = [key for key in dict.fromkeys(keys) if key not in found]
            if missing and self.writable:
                found |= self._claim(missing)
            return [found.get(key, "mine") for key in keys]

    def put_many(self, rows: Iterable[tuple[str, Verdict]]) -> bool:
        """Store verdicts and end their claims; a failed verdict only ends the claim. Return whether all are stored.

        What cannot be stored, as somebody has locked the file or the disk is full, is stored with the next ones, or at
        the end.
        """
        with fork_lock:
            self._unsaved += rows
            if self.writable:
                self._save()
            return not self._unsaved

    def unstored(self) -> int:
        """Return how many verdicts of a file that can be written are not in it yet."""
        with fork_lock:
            return sum(verdict.ok for _, verdict in self._unsaved) if self.writable else 0

    def close(self) -> None:
        """Store what is left, give up this process's claims, which end by themselves too, and close the file."""
        self._closing.set()
        with fork_lock:
            if self.writable:
                self._save()
                with suppress(sqlite3.OperationalError):
                    self._db.execute("DELETE FROM claims WHERE host = ? AND pid = ?", self._owner)
            self._db.close()

    def _rows(self, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """The rows of the stored keys, in the order in which they are stored, which is much faster."""
        ordered = sorted(keys)
        for start in range(0, len(ordered), _CHUNK):
            chunk = ordered[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            yield from self._db.execute(f"SELECT key, verdict FROM verdicts WHERE key IN ({marks})", chunk)

    def _select(self, keys: Sequence[str]) -> dict[str, Verdict]:
        loaded = {key: load(text) for key, text in self._rows(keys)}
        found = {key: verdict for key, verdict in loaded.items() if verdict is not None}
        if len(found) < len(loaded):
            self._drop(loaded.keys() - found.keys())
        unsaved = {key: verdict for key, verdict in self._unsaved if verdict.ok}
        return found | {key: unsaved[key] for key in unsaved.keys() & set(keys)} if unsaved else found

    def _drop(self, keys: set[str]) -> None:
        """Remove rows that hold no verdict, and say so once."""
        if new := keys - self._dropped:
            self._dropped |= new
            warnings.warn(f"{counted(len(new), 'stored verdict')} of no known form will be judged anew.", stacklevel=2)
        if self.writable:
            with suppress(sqlite3.OperationalError):
                self._db.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in keys])

    def _claim(self, keys: Sequence[str]) -> dict[str, Claim]:
        """Claim the keys that no living process has claimed; a file that stays locked leaves all of them unclaimed."""
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                found: dict[str, Claim] = dict(self._select(keys))
                for key in keys:
                    owner = None if key in found else self._other(key)
                    if owner is not None:
                        found[key] = owner
                    elif key not in found:
                        self._claimed.add(key)
                        row = (key, *self._owner, time.time())
                        self._db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)", row)
        except sqlite3.OperationalError:
            return {}
        if self._heart is None:
            self._heart = threading.Thread(target=self._beat, name="judge-claims", daemon=True)
            self._heart.start()
        return found

    def _other(self, key: str) -> Owner | None:
        """The living process that is asking for the key, if another one is."""
        row = self._db.execute("SELECT host, pid, beat FROM claims WHERE key = ?", (key,)).fetchone()
        if row is None or Owner(*row[:2]) == self._owner:
            return None
        owner, beat, now = Owner(*row[:2]), row[2], time.monotonic()
        if key not in self._seen or self._seen[key][0] != beat:
            self._seen[key] = (beat, now)
        return owner if _may_live(owner) and now - self._seen[key][1] < SILENT_SECONDS else None

    def _save(self) -> None:
        stored = [(key, dump(verdict), time.time()) for key, verdict in self._unsaved if verdict.ok]
        ended = [(key, *self._owner) for key, _ in self._unsaved]
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", stored)
                self._db.executemany("DELETE FROM claims WHERE key = ? AND host = ? AND pid = ?", ended)
        except sqlite3.OperationalError as error:
            self.trouble = str(error)
            return
        self.trouble = ""
        self._claimed.difference_update(key for key, _ in self._unsaved)
        self._unsaved.clear()

    def _beat(self) -> None:
        while not self._closing.wait(BEAT_SECONDS):
            with fork_lock:
                if not self._claimed or self._closing.is_set():
                    continue
                with suppress(sqlite3.Error):
                    row = (time.time(), *self._owner)
                    self._db.execute("UPDATE claims SET beat = ? WHERE host = ? AND pid = ?", row)


def open_cache(directory: Path | None) -> VerdictCache | None:
    """Return the cache in `directory` (None: `files.cache_folder.cache_path`); None, with a warning, if impossible.

    Raises:
        JudgeError: a cache exists and cannot be read; going on would pay for its verdicts again.
    """
    path = (directory or cache_path()) / FILE_NAME
    cache: VerdictCache | None = None
    reason = "it can only be read now"
    try:
        cache = VerdictCache(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if path.is_file():
            raise JudgeError(
                f"Expected to read the judge's cache {path}, which failed: {reason}. Wait until the program that uses "
                "it has ended, make room, or name another folder in SPIQA_TASKS_CACHE; judging without may pay twice."
            ) from error
    if cache is None or not cache.writable:
        warnings.warn(
            f"Verdicts are not kept: the judge's cache {path} cannot be written ({reason}); "
            "set SPIQA_TASKS_CACHE to a writable folder.",
            stacklevel=2,
        )
    return cache


def _may_live(owner: Owner) -> bool:
    """Whether the process may be alive; certain on the same machine only, where its number may be used again."""
    if owner.host != socket.gethostname() or os.name != "posix":
        return True
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
