"""The cache's file: opened, and moved aside where it is damaged or another program's."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from spiqa_tasks.judge.cache_file import _moved_aside, _readable, _writable, connect

ROWS = [(f"key {number:05d}", "v" * 100, float(number)) for number in range(2000)]


@contextmanager
def opened(path: Path, timeout: float = 0.05) -> Iterator[sqlite3.Connection]:
    db, writable = connect(path, timeout)
    with closing(db):
        assert writable
        yield db


def filled(path: Path, rows: list[tuple[str, str, float]] = ROWS) -> None:
    with opened(path) as db:
        db.executemany("INSERT INTO verdicts VALUES (?, ?, ?)", rows)


def verdicts(db: sqlite3.Connection) -> list[tuple[str, str, float]]:
    return db.execute("SELECT key, verdict, created FROM verdicts ORDER BY key").fetchall()


def test_a_new_file_is_made_with_its_folders(tmp_path: Path) -> None:
    """It has both tables and a write-ahead log, and may be used from any thread without transactions of its own."""
    path = tmp_path / "not" / "there" / "judge.sqlite"
    with opened(path) as db:
        assert verdicts(db) == []
        assert db.execute("SELECT key, host, pid, beat FROM claims").fetchall() == []
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (1,)
        assert db.isolation_level is None
    filled(path)
    with opened(path) as db:
        assert verdicts(db) == ROWS


def test_claims_of_an_earlier_form_are_dropped_and_verdicts_stay(tmp_path: Path) -> None:
    """A version that wrote when claims expire is no reason to lose a verdict; claims of this form stay."""
    path = tmp_path / "judge.sqlite"
    filled(path)
    with opened(path) as db:
        db.execute("INSERT INTO claims VALUES ('k', 'host', 1, 2.0)")
    with opened(path) as db:
        assert db.execute("SELECT * FROM claims").fetchall() == [("k", "host", 1, 2.0)]
        db.execute("DROP TABLE claims")
        db.execute("CREATE TABLE claims (key TEXT PRIMARY KEY, host TEXT, pid INTEGER, expires REAL)")
        db.execute("INSERT INTO claims VALUES ('k', 'host', 1, 2.0)")
    with opened(path) as db:
        assert db.execute("SELECT key, host, pid, beat FROM claims").fetchall() == []
        assert verdicts(db) == ROWS


def test_a_damaged_file_is_salvaged_from_both_ends(tmp_path: Path) -> None:
    """A broken page in the middle costs its own verdicts; the others are taken over, and the old file is kept."""
    path = tmp_path / "judge.sqlite"
    filled(path)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(content))
    before = time.time_ns()
    with pytest.warns(UserWarning, match="could not be used") as told, opened(path) as db:
        kept = verdicts(db)
    assert 1000 < len(kept) < 2000
    assert set(kept) < set(ROWS)
    assert kept[0] == ROWS[0]
    assert kept[-1] == ROWS[-1]
    [aside] = tmp_path.glob("judge.damaged-*.sqlite")
    assert aside.read_bytes() == bytes(content)
    assert before <= int(aside.name.split("-")[1].split(".")[0]) <= time.time_ns()
    [message] = [str(warning.message) for warning in told]
    assert message.startswith(f"The judge's cache {path} could not be used (it is damaged: ")
    assert message.endswith(
        f"); it is now {aside.name}, and {len(kept)} of its verdicts were taken over into a new one."
    )
    assert "\n" not in message
    with opened(path) as db:
        assert verdicts(db) == kept


def test_what_is_no_database_goes_aside_with_its_log(tmp_path: Path) -> None:
    """The write-ahead log of another file is not replayed into the new one, but kept beside the old one."""
    path = tmp_path / "judge.sqlite"
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).write_text(f"no database {suffix}" * 100)
    with pytest.warns(UserWarning, match=r"file is not a database\); it is now .*, and 0 of its"), opened(path) as db:
        assert verdicts(db) == []
    [aside] = tmp_path.glob("judge.damaged-*.sqlite")
    assert aside.read_text().startswith("no database no database")
    moved = {file.name for file in tmp_path.iterdir()} - {"judge.sqlite", "judge.sqlite-wal", "judge.sqlite-shm"}
    assert aside.name in moved


def test_a_database_of_something_else_is_left_whole(tmp_path: Path) -> None:
    """Tables of another program, and verdicts with other columns, are not written into; nothing of theirs is taken."""
    for number, table in enumerate(("CREATE TABLE notes (text TEXT)", "CREATE TABLE verdicts (key TEXT, said TEXT)")):
        path = tmp_path / str(number) / "judge.sqlite"
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(table)
        before = path.read_bytes()
        with (
            pytest.warns(UserWarning, match=r"\(it is a database of something else\).*and 0 of its"),
            opened(path) as db,
        ):
            assert verdicts(db) == []
        [aside] = path.parent.glob("judge.damaged-*.sqlite")
        assert aside.read_bytes() == before


def test_a_file_that_is_locked_for_writing_is_read(tmp_path: Path) -> None:
    """Where opening for writing fails the stored verdicts are found all the same, and nothing can be changed."""
    path = tmp_path / "judge.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, created REAL NOT NULL)")
        db.execute("INSERT INTO verdicts VALUES ('k', 'v', 1.0)")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        db, writable = connect(path, 0.05)
        with closing(db):
            assert not writable
            assert verdicts(db) == [("k", "v", 1.0)]
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                db.execute("DELETE FROM verdicts")


def test_a_file_that_is_locked_against_reading_is_an_error(tmp_path: Path) -> None:
    """It is neither moved aside nor read without its lock."""
    path = tmp_path / "judge.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, created REAL NOT NULL)")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            connect(path, 0.05)
    assert [file.name for file in tmp_path.iterdir()] == ["judge.sqlite"]


def test_a_full_disk_is_the_reason_that_is_given(tmp_path: Path) -> None:
    """Not that the new file has no table yet; when there is room, the same file is used."""
    resource = pytest.importorskip("resource")
    path, limits = tmp_path / "judge.sqlite", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
    try:
        with pytest.raises(sqlite3.OperationalError, match=r"full|disk I/O"):
            connect(path, 0.05)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.is_file()
    filled(path)
    with opened(path) as db:
        assert verdicts(db) == ROWS


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    """There is nothing to read then, and nothing is moved."""
    (tmp_path / "judge.sqlite").mkdir()
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(tmp_path / "judge.sqlite", 0.05)
    assert (tmp_path / "judge.sqlite").is_dir()


def test_a_file_is_used_from_any_thread(tmp_path: Path) -> None:
    """The engine's threads share one connection, also one that only reads."""
    path = tmp_path / "judge.sqlite"
    filled(path, ROWS[:1])
    with opened(path) as db, ThreadPoolExecutor(1) as pool:
        assert pool.submit(verdicts, db).result() == ROWS[:1]
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with closing(_readable(path, 0.05)) as db, ThreadPoolExecutor(1) as pool:
            assert pool.submit(verdicts, db).result() == ROWS[:1]


def test_a_file_is_moved_with_its_write_ahead_log_and_its_index(tmp_path: Path) -> None:
    """All three under one new name; those that are not there are none."""
    path = tmp_path / "judge.sqlite"
    for suffixes in (("", "-wal", "-shm"), ("",)):
        for suffix in suffixes:
            path.with_name(path.name + suffix).write_text(suffix)
        aside = _moved_aside(path)
        found = {file.name: file.read_text() for file in tmp_path.iterdir() if file.name.startswith(aside.name)}
        assert found == {aside.name + suffix: suffix for suffix in suffixes}
        assert not path.exists()
    assert aside.name.startswith("judge.damaged-")
    assert aside.suffix == ".sqlite"


def test_a_lock_is_waited_for_as_long_as_that(tmp_path: Path) -> None:
    """Also where the file is only read."""
    path = tmp_path / "judge.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, created REAL NOT NULL)")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for connecting in (_readable, _writable):
            start = time.monotonic()
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                connecting(path, 0.2)
            assert 0.15 < time.monotonic() - start < 3
