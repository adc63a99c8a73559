"""The file of verdicts: atomic, shared, without secrets."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.cache import Owner, VerdictCache, open_cache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

VERDICT = Verdict("ok", "Yes", (("Yes", -0.1), ("No", -2.5)), "m-1", None, False, 10, 1)


def test_a_stored_verdict_comes_back_whole(tmp_path: Path) -> None:
    """All fields survive, and the verdict is marked as cached."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    cache.put_many([("k", VERDICT)])
    cache.close()
    found = VerdictCache(tmp_path / "judge.sqlite").get_many(["k", "other"])
    assert found == {"k": Verdict("ok", "Yes", (("Yes", -0.1), ("No", -2.5)), "m-1", None, True, 10, 1)}


def test_failures_are_not_stored(tmp_path: Path) -> None:
    """A failed verdict only gives up the claim."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    assert cache.claim_many(["k"]) == ["mine"]
    cache.put_many([("k", failed("HTTP 500"))])
    assert cache.get_many(["k"]) == {}
    assert cache.claim_many(["k"]) == ["mine"]


def test_more_keys_than_one_query_takes(tmp_path: Path) -> None:
    """Thousands of keys are looked up at once."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    cache.put_many([(str(i), VERDICT) for i in range(0, 3000, 2)])
    assert len(cache.get_many([str(i) for i in range(3000)])) == 1500


def test_a_claim_holds_against_living_processes_only(tmp_path: Path) -> None:
    """What another process asks for is "theirs" while it lives and ours when it died without a verdict."""
    path = tmp_path / "judge.sqlite"
    program = (
        "import sys, pathlib; from spiqa_tasks.judge.cache import VerdictCache;"
        "print(VerdictCache(pathlib.Path(sys.argv[1])).claim_many(['k'])[0], flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "mine"
    cache = VerdictCache(path)
    for _ in range(2):
        assert cache.claim_many(["k", "free"]) == [Owner(socket.gethostname(), child.pid), "mine"]
    assert child.poll() is None
    child.kill()
    child.communicate()
    assert cache.claim_many(["k"]) == ["mine"]


def test_a_damaged_file_is_moved_aside(tmp_path: Path) -> None:
    """A file that is no database is kept under another name and a new one is started."""
    (tmp_path / "judge.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.warns(UserWarning, match="damaged"):
        cache = open_cache(tmp_path)
    assert cache is not None
    cache.put_many([("k", VERDICT)])
    assert cache.get_many(["k"])
    assert len(list(tmp_path.glob("judge.damaged-*.sqlite"))) == 1


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that other users may read; root, who may write anywhere, becomes nobody in it."""
    if not hasattr(os, "geteuid"):
        pytest.skip("no users on this system")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def only_read(folder: Path) -> Iterator[None]:
    """While nothing can be written in the folder or its files."""
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    root = os.geteuid() == 0
    os.seteuid(65534 if root else os.geteuid())
    try:
        yield
    finally:
        os.seteuid(0 if root else os.geteuid())
        folder.chmod(0o755)


def test_a_read_only_folder_gives_no_cache(folder: Path) -> None:
    """Without write access there is no cache, and a warning."""
    with only_read(folder), pytest.warns(UserWarning, match="SPIQA_TASKS_CACHE"):
        assert open_cache(folder) is None


def test_a_read_only_cache_is_read_and_told(folder: Path, config: JudgeConfig, server: OpenAIServer) -> None:
    """Stored verdicts count, the others are asked for and not kept, and nobody's file changes."""
    requests = [JudgeRequest(f"p{place}") for place in range(3)]
    writer = Engine(replace(config, cache_dir=folder))
    writer.map(requests[:2])
    writer.close()
    stored = {path.name: path.read_bytes() for path in folder.iterdir()}
    reader = Engine(replace(config, cache_dir=folder))
    with only_read(folder):
        with pytest.warns(UserWarning, match=r"not kept: .*\(it can only be read now\)"):
            verdicts = reader.map(requests)
        assert reader.summary().unstored == 0
        reader.close()
    assert [(verdict.ok, verdict.cached) for verdict in verdicts] == [(True, True), (True, True), (True, False)]
    assert len(server.requests) == 3
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == stored


def test_a_clock_that_jumps_changes_nothing(
    server: OpenAIServer, engine_of: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waits, retries, claims and the summary's seconds go by the clock that never goes back."""
    real, jumps = time.time, random.Random(0)
    monkeypatch.setattr(time, "time", lambda: real() + jumps.uniform(-1e9, 1e9))
    server.behaviour.faults = {"429": 0.3, "500": 0.1}
    engine = engine_of()
    begun = time.monotonic()
    assert all(verdict.ok for verdict in engine.map([JudgeRequest(f"p{place}") for place in range(60)]))
    assert 0 < engine.summary().seconds <= time.monotonic() - begun < 60
    engine.close()
    assert all(verdict.cached for verdict in engine_of().map([JudgeRequest(f"p{place}") for place in range(60)]))


def test_a_row_of_another_form_is_judged_anew(tmp_path: Path) -> None:
    """A verdict that cannot be read is told, dropped and counts as missing."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    cache.put_many([("good", VERDICT)])
    with sqlite3.connect(tmp_path / "judge.sqlite") as db:
        db.execute("INSERT INTO verdicts VALUES ('k', '{\"unknown\": 1}', 0)")
    with pytest.warns(UserWarning, match="1 stored verdict of no known form will be judged anew"):
        assert set(cache.get_many(["k", "good"])) == {"good"}
    assert db.execute("SELECT key FROM verdicts").fetchall() == [("good",)]
    db.close()
    assert cache.claim_many(["k"]) == ["mine"]
    cache.put_many([("k", VERDICT)])
    assert cache.get_many(["k"])["k"].text == "Yes"


def test_a_half_written_file_is_never_seen(tmp_path: Path) -> None:
    """A write that fails half-way leaves nothing of itself."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    with pytest.raises(sqlite3.Error):
        cache.put_many([("good", VERDICT), (object(), VERDICT)])  # type: ignore[list-item]
    assert VerdictCache(tmp_path / "judge.sqlite").get_many(["good"]) == {}


HERE = Owner(socket.gethostname(), os.getpid())
ELSEWHERE = Owner("elsewhere", 1)


def claims(path: Path) -> dict[str, tuple[str, int, float]]:
    db = sqlite3.connect(path)
    rows = db.execute("SELECT key, host, pid, beat FROM claims ORDER BY key").fetchall()
    db.close()
    return {row[0]: row[1:] for row in rows}


def claimed(path: Path, key: str, owner: Owner, beat: float = 1.0) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)", (key, *owner, beat))
    db.close()


def eventually(holds: Callable[[], bool]) -> bool:
    ends = time.monotonic() + 20
    while not (held := holds()) and time.monotonic() < ends:
        time.sleep(0.01)
    return held


def test_a_claim_names_its_process_and_the_time(tmp_path: Path) -> None:
    """A claim is written in the name of this machine and process; a second one for the same key is ours as well."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    assert cache.claim_many(["k"]) == ["mine"]
    assert cache.claim_many(["k"]) == ["mine"]
    [(host, pid, beat)] = claims(path).values()
    assert Owner(host, pid) == HERE
    assert beat == pytest.approx(time.time(), abs=60)


def test_a_silent_process_loses_its_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A beat that has not changed for ten seconds ends a claim; a new beat starts the ten seconds again."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "k", ELSEWHERE)
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert cache.claim_many(["k"]) == [ELSEWHERE]
    now = 109.5
    assert cache.claim_many(["k"]) == [ELSEWHERE]
    claimed(path, "k", ELSEWHERE, beat=2.0)
    now = 110.0
    assert cache.claim_many(["k"]) == [ELSEWHERE]
    now = 119.5
    assert cache.claim_many(["k"]) == [ELSEWHERE]
    now = 120.0
    assert cache.claim_many(["k"]) == ["mine"]
    assert claims(path)["k"][:2] == HERE


def test_processes_are_looked_for_on_this_machine_alone(tmp_path: Path) -> None:
    """The number of a process that ended frees a claim of this machine, not one of another machine."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    claimed(path, "here", Owner(HERE.host, ended.pid))
    claimed(path, "there", Owner("elsewhere", ended.pid))
    assert cache.claim_many(["here", "there"]) == ["mine", Owner("elsewhere", ended.pid)]


def test_a_process_of_another_user_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that may not be asked whether it lives does live."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "k", Owner(HERE.host, 1))

    def refuse(pid: int, signal: int) -> None:
        assert (pid, signal) == (1, 0)
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert cache.claim_many(["k"]) == [Owner(HERE.host, 1)]


def test_a_verdict_and_closing_end_claims_of_this_process_alone(tmp_path: Path) -> None:
    """What is stored or failed is no longer claimed; closing gives up the rest, and nobody else's."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "other", Owner("elsewhere", HERE.pid))
    claimed(path, "pid", Owner(HERE.host, HERE.pid + 1))
    cache.claim_many(["answered", "failed", "open"])
    cache.put_many([("answered", VERDICT), ("failed", failed("HTTP 500")), ("other", VERDICT), ("pid", VERDICT)])
    assert list(claims(path)) == ["open", "other", "pid"]
    cache.close()
    assert list(claims(path)) == ["other", "pid"]


def test_claims_and_verdicts_come_back_in_the_order_asked(tmp_path: Path) -> None:
    """Each key has its own answer, also where a key is asked for twice; what is stored is not claimed."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    other = Verdict("ok", "No", (), "m-2", None, False, 1, 2)
    cache.put_many([("a", VERDICT), ("b", other)])
    found = cache.claim_many(["b", "new", "a", "b"])
    assert [getattr(verdict, "text", verdict) for verdict in found] == ["No", "mine", "Yes", "No"]
    assert [getattr(verdict, "text", verdict) for verdict in cache.claim_many(["b", "a"])] == ["No", "Yes"]
    assert list(claims(tmp_path / "judge.sqlite")) == ["new"]
    assert set(cache.get_many(["a", "c", "b"])) == {"a", "b"}
    assert set(cache.get_many([])) == set()


def test_the_time_of_a_verdict_is_stored(tmp_path: Path) -> None:
    """Each row tells when it was written; a second verdict for a key replaces the first."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    cache.put_many([("k", Verdict("ok", "No"))])
    cache.put_many([("k", VERDICT)])
    db = sqlite3.connect(path)
    [(created,)] = db.execute("SELECT created FROM verdicts").fetchall()
    db.close()
    assert created == pytest.approx(time.time(), abs=60)
    assert cache.get_many(["k"])["k"].text == "Yes"


def test_threads_share_a_cache(tmp_path: Path) -> None:
    """What one thread stores another one reads."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    thread = threading.Thread(target=cache.put_many, args=([("k", VERDICT)],))
    thread.start()
    thread.join()
    assert cache.get_many(["k"])["k"].text == "Yes"


def test_a_locked_file_takes_verdicts_later(tmp_path: Path) -> None:
    """While somebody has locked the file nothing is claimed, and verdicts are kept until the next ones, or the end."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path, locked_seconds=0.05)
    db = sqlite3.connect(path, isolation_level=None)
    for key in ("first", "last"):
        db.execute("BEGIN IMMEDIATE")
        assert cache.claim_many([key]) == ["mine"]
        cache.put_many([(key, VERDICT), (f"{key} failed", failed("HTTP 500"))])
        assert cache.get_many([key, f"{key} failed", "other"]) == {key: VERDICT}
        db.execute("ROLLBACK")
        assert claims(path) == {}
        assert key not in stored(path)
        if key == "first":
            cache.put_many([("next", VERDICT)])
            assert stored(path) == ["first", "next"]
    cache.close()
    assert stored(path) == ["first", "last", "next"]
    db.close()


def stored(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    keys = [key for (key,) in db.execute("SELECT key FROM verdicts ORDER BY key")]
    db.close()
    return keys


def test_beats_are_written_for_own_claims_while_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The beat of each claim of this process changes until its verdict is there, and nobody else's does."""
    monkeypatch.setattr("spiqa_tasks.judge.cache.BEAT_SECONDS", 0.02)
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "other", ELSEWHERE)
    claimed(path, "pid", Owner(HERE.host, HERE.pid + 1))
    cache.claim_many(["a"])
    cache.claim_many(["b"])
    [heart] = [thread for thread in threading.enumerate() if thread.name == "judge-claims" and thread.is_alive()][-1:]
    assert heart.daemon
    cache.put_many([("a", VERDICT)])
    first = claims(path)["b"][2]
    assert eventually(lambda: claims(path)["b"][2] > first)
    assert claims(path)["b"][2] == pytest.approx(time.time(), abs=60)
    assert (claims(path)["other"][2], claims(path)["pid"][2]) == (1.0, 1.0)
    cache.put_many([("b", failed("HTTP 500"))])
    claimed(path, "late", HERE)
    time.sleep(0.2)
    assert claims(path)["late"][2] == 1.0
    cache.claim_many(["c"])
    assert eventually(lambda: claims(path)["late"][2] > 1.0)
    cache.close()
    heart.join(20)
    assert not heart.is_alive()


def test_the_folder_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder the cache lies in SPIQA_TASKS_CACHE, in folders that are made where they are missing."""
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "not" / "there"))
    for _ in range(2):
        cache = open_cache(None)
        assert cache is not None
        assert cache.writable
        cache.close()
    assert (tmp_path / "not" / "there" / "judge.sqlite").is_file()


def test_a_folder_that_cannot_be_is_told_with_its_reason(tmp_path: Path) -> None:
    """A file in the place of the folder, and a folder in the place of the file, give no cache and say why."""
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    (tmp_path / "judge.sqlite").mkdir()
    for folder, reason in ((blocked, "File exists"), (tmp_path, "unable to open database file")):
        with pytest.warns(UserWarning, match="not kept") as told:
            assert open_cache(folder) is None
        assert [str(warning.message) for warning in told] == [
            f"Verdicts are not kept: the judge's cache {folder / 'judge.sqlite'} cannot be written ({reason}); "
            "set SPIQA_TASKS_CACHE to a writable folder."
        ]
