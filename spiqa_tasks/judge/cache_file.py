"""The file of stored verdicts: opened, and where it is damaged or another program's, moved aside and salvaged."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import warnings
from pathlib import Path

_VERDICTS = ("key", "verdict", "created")
_CLAIMS = ("key", "host", "pid", "beat")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, host TEXT, pid INTEGER, beat REAL) WITHOUT ROWID;
"""


def connect(path: Path, timeout: float) -> tuple[sqlite3.Connection, bool]:
    """Open the verdicts' file, or create it; return the connection, and whether it can be written.

    A damaged file, and one of another program, is moved aside with a warning, and what can be read of its verdicts
    goes into a new one. A file that can only be read, or that somebody has locked, is opened for reading.

    Raises:
        sqlite3.OperationalError: the file cannot be opened or created, or is locked against reading too.
        OSError: its folder cannot be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _writable(path, timeout), True
    except sqlite3.OperationalError as error:
        if not path.is_file():
            raise
        try:
            return _readable(path, timeout), False
        except sqlite3.OperationalError as unread:
            raise error from unread  # a full disk leaves a new file without tables
    except sqlite3.DatabaseError as error:
        aside = _moved_aside(path)
        db = _writable(path, timeout)
        count = _salvage(aside, db)
        warnings.warn(
            f"The judge's cache {path} could not be used ({error}); it is now {aside.name}, and {count} of its "
            "verdicts were taken over into a new one.",
            stacklevel=2,
        )
        return db, True


def _writable(path: Path, timeout: float) -> sqlite3.Connection:
    """The file open for writing; sqlite3.DatabaseError where it is damaged or not ours."""
    db = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and _columns(db, "verdicts") != _VERDICTS:
            raise sqlite3.DatabaseError("it is a database of something else")
        if (found := db.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
            raise sqlite3.DatabaseError("it is damaged: " + " ".join(str(found[0]).split()))
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        if _columns(db, "claims") not in ((), _CLAIMS):
            db.execute("DROP TABLE claims")
        db.executescript(_SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _readable(path: Path, timeout: float) -> sqlite3.Connection:
    """The file open for reading; in a read-only folder as immutable, or SQLite wants to write beside it."""
    error: sqlite3.Error | None = None
    for options in ("mode=ro", "mode=ro&immutable=1"):
        db = sqlite3.connect(f"{path.resolve().as_uri()}?{options}", timeout=timeout, uri=True, check_same_thread=False)
        try:
            db.execute("SELECT key FROM verdicts LIMIT 1")
        except sqlite3.OperationalError as raised:
            db.close()
            error = raised
            if "locked" in str(raised):
                break
        else:
            return db
    assert error is not None
    raise error


def _columns(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(row[1] for row in db.execute(f"PRAGMA table_info({table})"))


def _moved_aside(path: Path) -> Path:
    """Rename the file, with its write-ahead log, which SQLite would replay into the new one."""
    aside = path.with_suffix(f".damaged-{time.time_ns()}.sqlite")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside


def _salvage(damaged: Path, db: sqlite3.Connection) -> int:
    """Copy the verdicts that can be read, from either end up to the damage; return how many."""
    found: dict[str, tuple[str, str, float]] = {}
    for order in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(damaged)) as source:
            for row in source.execute(f"SELECT key, verdict, created FROM verdicts ORDER BY key {order}"):
                if all(isinstance(cell, str) for cell in row[:2]):
                    found[row[0]] = row
    with db:
        db.executemany("INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?)", found.values())
    return len(found)
