"""What a server, another process or a file can do to the engine: nothing hangs and nothing is paid twice."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge import cache as cache_module
from spiqa_tasks.judge.cache import VerdictCache, open_cache
from spiqa_tasks.judge.cache_entry import dump, load
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.resolve import clean_key, parse_judge
from spiqa_tasks.judge.types import JudgeRequest, Verdict

MakeEngine = Callable[..., Engine]
VERDICT = Verdict("ok", "Yes", (("Yes", -0.1), ("No", float("-inf"))), "m-1", None, False, 10, 1)


def _requests(count: int) -> list[JudgeRequest]:
    return [JudgeRequest(f"prompt {i}") for i in range(count)]


def test_an_odd_model_name_hangs_nobody(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """An answer whose model is no text is a verdict without a model's name."""
    server.behaviour.sticky = "odd_model"
    pending = engine_of().submit_all(_requests(1))[0]
    verdict = pending.result(10)
    assert verdict.ok
    assert verdict.model is None


def test_the_waiter_wakes_whatever_happens_in_delivery(engine_of: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect in the counting of verdicts does not keep them from those who wait."""
    engine = engine_of()

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(engine._tally), "closed", broken)
    assert all(pending.result(10).ok for pending in engine.submit_all(_requests(5)))


def _claim_of_another(path: Path, host: str, pid: int, beat: float) -> None:
    with sqlite3.connect(path) as db:
        db.execute("INSERT OR REPLACE INTO claims VALUES ('k', ?, ?, ?)", (host, pid, beat))
    db.close()


@pytest.mark.parametrize(("host", "pid"), [("another-machine", 1), (socket.gethostname(), 1)])
def test_a_claim_without_a_heartbeat_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, pid: int) -> None:
    """A claim from another machine, or under a number that lives again, holds only while its beat changes."""
    monkeypatch.setattr(cache_module, "SILENT_SECONDS", 0.4)
    cache = VerdictCache(tmp_path / "judge.sqlite")
    for beat in range(3):
        _claim_of_another(tmp_path / "judge.sqlite", host, pid, beat)
        assert cache.claim_many(["k"]) == [(host, pid)]
        time.sleep(0.25)
    time.sleep(0.3)
    assert cache.claim_many(["k"]) == ["mine"]
    cache.close()


def test_a_living_process_keeps_its_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that takes long for an answer writes beats, and nobody asks in its place."""
    monkeypatch.setattr(cache_module, "SILENT_SECONDS", 1.0)
    program = (
        "import sys, pathlib; from spiqa_tasks.judge import cache; cache.BEAT_SECONDS = 0.1;"
        "print(cache.VerdictCache(pathlib.Path(sys.argv[1])).claim_many(['k'])[0], flush=True); sys.stdin.read()"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "judge.sqlite")]
    child = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "mine"
    cache = VerdictCache(tmp_path / "judge.sqlite")
    for _ in range(5):
        assert cache.claim_many(["k"]) == [(socket.gethostname(), child.pid)]
        time.sleep(0.4)
    child.communicate()
    cache.close()


def test_a_damaged_file_gives_back_what_can_be_read(tmp_path: Path) -> None:
    """Of a file with a broken page the other verdicts are taken over, with a sentence."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path)
    cache.put_many([(f"{i:05}", VERDICT) for i in range(5000)])
    cache.close()
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"could not be used .*verdicts were taken over"):
        opened = open_cache(tmp_path)
    assert opened is not None
    found = opened.get_many([f"{i:05}" for i in range(5000)])
    assert 3000 < len(found) < 5000
    opened.close()


def test_a_file_of_another_program_is_left_whole(tmp_path: Path) -> None:
    """A database of something else is moved aside, not written into."""
    path = tmp_path / "judge.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE verdicts (id INTEGER, text TEXT)")
        db.execute("INSERT INTO verdicts VALUES (1, 'theirs')")
    db.close()
    with pytest.warns(UserWarning, match="something else"):
        opened = open_cache(tmp_path)
    assert opened is not None
    opened.put_many([("k", VERDICT)])
    assert opened.get_many(["k"])
    opened.close()
    (aside,) = tmp_path.glob("judge.damaged-*.sqlite")
    with sqlite3.connect(aside) as db:
        assert db.execute("SELECT text FROM verdicts").fetchall() == [("theirs",)]
    db.close()


def test_stored_verdicts_are_found_while_somebody_writes(tmp_path: Path) -> None:
    """A file that another program keeps locked for writing still gives its verdicts, and takes new ones later."""
    path = tmp_path / "judge.sqlite"
    cache = VerdictCache(path, locked_seconds=0.2)
    cache.put_many([("k", VERDICT)])
    with sqlite3.connect(path, isolation_level=None) as locker:
        locker.execute("BEGIN IMMEDIATE")
        late = VerdictCache(path, locked_seconds=0.2)
        for opened in (cache, late):
            assert [getattr(claim, "text", claim) for claim in opened.claim_many(["k", "new"])] == ["Yes", "mine"]
        cache.put_many([("new", VERDICT)])
        assert cache.get_many(["new"])
        locker.execute("ROLLBACK")
    locker.close()
    late.close()
    cache.close()
    assert set(VerdictCache(path).get_many(["k", "new"])) == {"k", "new"}


def test_a_file_that_nobody_may_read_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a lock against reading the run ends with the remedy; going on would pay for the verdicts again."""
    monkeypatch.setattr(cache_module.VerdictCache.__init__, "__defaults__", (0.2,))
    path = tmp_path / "judge.sqlite"
    VerdictCache(path).close()
    with sqlite3.connect(path, isolation_level=None) as locker:
        locker.execute("PRAGMA journal_mode=DELETE")
        locker.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JudgeError, match="pay twice"):
            open_cache(tmp_path)
    locker.close()


def test_no_number_is_no_verdict() -> None:
    """A stored verdict with NaN, another type or another form is judged anew; -inf is a log-probability."""
    assert load(dump(VERDICT)) is not None
    for text in (
        dump(VERDICT).replace("-0.1", "NaN"),
        dump(VERDICT).replace('"m-1"', "[1]"),
        "[" * 100_000,
        "[]",
        "{}",
    ):
        assert load(text) is None


def test_keys_are_cleaned_and_short_ones_leave_texts_alone() -> None:
    """Blanks around a key do not count, a line break inside is named, a placeholder does not mangle messages."""
    assert clean_key("  sk-0123456789\n") == "sk-0123456789"
    with pytest.raises(JudgeError, match="line break") as caught:
        clean_key("sk-01234\n56789")
    assert "56789" not in str(caught.value)
    spaced = parse_judge("openai:m", api_key=" sk-secret-0123456789\n", environ={})
    assert spaced.redact("Incorrect key sk-secret-0123456789.") == "Incorrect key [key]."
    assert JudgeConfig("openai", "m", "http://127.0.0.1:1", "a").redact("a plain message") == "a plain message"


def test_control_sequences_of_a_server_reach_no_terminal(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A model's name has no escape character."""
    server.behaviour.served_model = "evil\x1b[2Jmodel"
    assert "\x1b" not in (engine_of().map(_requests(1))[0].model or "")


def test_verdicts_are_json_lines(tmp_path: Path) -> None:
    """What is stored can be read by any program."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    cache.put_many([("k", VERDICT)])
    cache.close()
    with sqlite3.connect(tmp_path / "judge.sqlite") as db:
        assert json.loads(db.execute("SELECT verdict FROM verdicts").fetchone()[0])["text"] == "Yes"
    db.close()
