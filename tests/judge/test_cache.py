"""The file of verdicts: atomic, shared, without secrets."""

from __future__ import annotations

import hashlib
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spiqa_tasks.judge.cache import CLAIM_SECONDS, VerdictCache, open_cache, request_key
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

VERDICT = Verdict("ok", "Yes", (("Yes", -0.1), ("No", -2.5)), "m-1", None, False, 10, 1, 0.25)


def test_a_stored_verdict_comes_back_whole(tmp_path: Path) -> None:
    """All fields survive, and the verdict is marked as cached."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    cache.put_many([("k", VERDICT)])
    cache.close()
    found = VerdictCache(tmp_path / "judge.sqlite").get_many(["k", "other"])
    assert found == {"k": Verdict("ok", "Yes", (("Yes", -0.1), ("No", -2.5)), "m-1", None, True, 10, 1, 0.25)}


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
    assert cache.claim_many(["k", "free"]) == ["theirs", "mine"]
    assert cache.claim_many(["k", "free"]) == ["theirs", "mine"]
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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_gives_no_cache(tmp_path: Path) -> None:
    """Without write access there is no cache, and a warning."""
    tmp_path.chmod(0o500)
    with pytest.warns(UserWarning, match="SPIQA_TASKS_CACHE"):
        assert open_cache(tmp_path) is None


def test_keys_tell_apart_what_shapes_a_verdict(tmp_path: Path) -> None:
    """Provider, model, URL, fingerprint, prompt and images by content change the key; an image's name does not."""
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    first.write_bytes(b"pixels")
    second.write_bytes(b"pixels")
    base = ("openai", "m", "http://h/v1", "", JudgeRequest("p"))
    keys = {request_key(*base)}
    for position, other in enumerate(("hf", "n", "http://i/v1", "f", JudgeRequest("q"))):
        keys.add(request_key(*(other if index == position else value for index, value in enumerate(base))))  # type: ignore[arg-type]
    assert len(keys) == 6
    with_first = request_key(*base[:4], JudgeRequest("p", images=(str(first),)))
    assert with_first == request_key(*base[:4], JudgeRequest("p", images=(str(second),)))
    first.write_bytes(b"other pixels")
    assert with_first != request_key(*base[:4], JudgeRequest("p", images=(str(first),)))


def test_a_row_of_another_form_is_judged_anew(tmp_path: Path) -> None:
    """A verdict that cannot be read counts as missing."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    with sqlite3.connect(tmp_path / "judge.sqlite") as db:
        db.execute("INSERT INTO verdicts VALUES ('k', '{\"unknown\": 1}', 0)")
    db.close()
    assert cache.claim_many(["k"]) == ["mine"]
    cache.put_many([("k", VERDICT)])
    assert cache.get_many(["k"])["k"].text == "Yes"


def test_a_half_written_file_is_never_seen(tmp_path: Path) -> None:
    """A write that fails half-way leaves nothing of itself."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    with pytest.raises(sqlite3.Error):
        cache.put_many([("good", VERDICT), (object(), VERDICT)])  # type: ignore[list-item]
    assert cache.get_many(["good"]) == {}
    cache.put_many([("good", VERDICT)])
    assert cache.get_many(["good"])


def claims(path: Path) -> list[tuple[str, str, int, float]]:
    db = sqlite3.connect(path)
    rows = db.execute("SELECT key, host, pid, expires FROM claims ORDER BY key").fetchall()
    db.close()
    return rows


def claimed(path: Path, key: str, host: str, pid: int, expires: float) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute("INSERT INTO claims VALUES (?, ?, ?, ?)", (key, host, pid, expires))
    db.close()


def test_a_claim_names_its_process_and_ends_by_itself(tmp_path: Path) -> None:
    """A claim holds for 15 minutes from now, in the name of this machine and process."""
    path = tmp_path / "judge.sqlite"
    assert VerdictCache(path).claim_many(["k"]) == ["mine"]
    [(key, host, pid, expires)] = claims(path)
    assert (key, host, pid) == ("k", socket.gethostname(), os.getpid())
    assert expires - time.time() == pytest.approx(900, abs=60)


def test_claims_of_other_machines_hold_until_they_expire(tmp_path: Path) -> None:
    """Nothing is known of another machine's processes, so only the time ends their claims."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    claimed(path, "live", "elsewhere", ended.pid, time.time() + CLAIM_SECONDS)
    claimed(path, "over", "elsewhere", ended.pid, time.time() - 1)
    assert cache.claim_many(["live", "over"]) == ["theirs", "mine"]
    assert [row[:3] for row in claims(path)] == [
        ("live", "elsewhere", ended.pid),
        ("over", socket.gethostname(), os.getpid()),
    ]


def test_a_process_of_another_user_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that may not be asked whether it lives does live."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "k", socket.gethostname(), 1, time.time() + CLAIM_SECONDS)

    def refuse(pid: int, signal: int) -> None:
        assert (pid, signal) == (1, 0)
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert cache.claim_many(["k"]) == ["theirs"]


def test_expired_claims_are_removed_when_the_file_is_opened(tmp_path: Path) -> None:
    """Opening keeps the claims that hold and removes the others."""
    path = tmp_path / "judge.sqlite"
    VerdictCache(path).close()
    claimed(path, "live", "elsewhere", 1, time.time() + 60)
    claimed(path, "over", "elsewhere", 1, time.time() - 60)
    VerdictCache(path)
    assert [row[0] for row in claims(path)] == ["live"]


def test_a_verdict_and_closing_end_claims_of_this_process_alone(tmp_path: Path) -> None:
    """What is stored or failed is no longer claimed; closing gives up the rest, and nobody else's."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    claimed(path, "other", "elsewhere", os.getpid(), time.time() + CLAIM_SECONDS)
    claimed(path, "pid", socket.gethostname(), os.getpid() + 1, time.time() + CLAIM_SECONDS)
    cache.claim_many(["answered", "failed", "open"])
    cache.put_many([("answered", VERDICT), ("failed", failed("HTTP 500")), ("other", VERDICT), ("pid", VERDICT)])
    assert [row[0] for row in claims(path)] == ["open", "other", "pid"]
    cache.close()
    assert [row[0] for row in claims(path)] == ["other", "pid"]


def test_claims_and_verdicts_come_back_in_the_order_asked(tmp_path: Path) -> None:
    """Each key has its own answer, also where a key is asked for twice."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    other = Verdict("ok", "No", (), "m-2", None, False, 1, 2, 0.5)
    cache.put_many([("a", VERDICT), ("b", other)])
    found = cache.claim_many(["b", "new", "a", "b"])
    assert [verdict if isinstance(verdict, str) else verdict.text for verdict in found] == ["No", "mine", "Yes", "No"]
    assert [verdict.text for verdict in cache.claim_many(["b", "a", "b"]) if isinstance(verdict, Verdict)] == [
        *("No", "Yes", "No"),
    ]
    assert [row[0] for row in claims(tmp_path / "judge.sqlite")] == ["new"]


def test_the_time_of_a_verdict_is_stored(tmp_path: Path) -> None:
    """Each row tells when it was written; a second verdict for a key replaces the first."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    cache.put_many([("k", Verdict("ok", "No"))])
    cache.put_many([("k", VERDICT)])
    db = sqlite3.connect(path)
    [(created,)] = db.execute("SELECT created FROM verdicts").fetchall()
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
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


def test_keys_are_those_of_earlier_versions() -> None:
    """A changed key would have every verdict paid for again, so it is written down here."""
    images = ("https://h/a.png", "http://h/b.png", "data:c")
    request = JudgeRequest("p", "text", "s", images, 3, 0.5, 7, ("yes",))
    fields = (
        '{"base_url": "http://h/v1", "fingerprint": "f", "images": ["https://h/a.png", "http://h/b.png", "data:c"], '
        '"kind": "text", "lookup": ["yes"], "max_tokens": 3, "model": "m", "prompt": "p", "provider": "openai", '
        '"system": "s", "temperature": 0.5, "top_logprobs": 7}'
    )
    assert request_key("openai", "m", "http://h/v1", "f", request) == hashlib.sha256(fields.encode()).hexdigest()


def test_the_folder_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder the cache lies in SPIQA_TASKS_CACHE, in folders that are made where they are missing."""
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "not" / "there"))
    for _ in range(2):
        cache = open_cache(None)
        assert cache is not None
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


def test_a_damaged_file_goes_with_its_log(tmp_path: Path) -> None:
    """The write-ahead log of a damaged file is not replayed into the new one; the warning says where the file is."""
    path = tmp_path / "judge.sqlite"
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).write_bytes(b"this is no database" * 100)
    with pytest.warns(UserWarning, match="damaged") as told:
        cache = open_cache(tmp_path)
    [aside] = tmp_path.glob("judge.damaged-*.sqlite")
    assert [str(warning.message) for warning in told] == [
        f"The judge's cache {path} was damaged; moved it to {aside} and started a new one."
    ]
    assert aside.read_bytes() == b"this is no database" * 100
    assert int(aside.name.split("-")[1].split(".")[0]) == pytest.approx(time.time(), abs=60)
    assert cache is not None
    cache.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([aside.name, "judge.sqlite"])
