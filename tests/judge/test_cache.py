"""The file of verdicts: atomic, shared, without secrets."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from spiqa_tasks.judge.cache import Owner, VerdictCache, open_cache
from spiqa_tasks.judge.stored import request_key
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
    assert cache.claim_many(["k", "free"]) == [Owner(socket.gethostname(), child.pid), "mine"]
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
    assert VerdictCache(tmp_path / "judge.sqlite").get_many(["good"]) == {}
