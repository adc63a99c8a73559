"""The host's own cache of answers: runs that are killed, failed requests, two processes."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.hosts.lmms_eval import response_cache
from spiqa_tasks.hosts.lmms_eval.response_cache import SLICE, collect_killed_runs, kept_answers

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout"
RUN = """
import os, signal, sys
from types import SimpleNamespace

from lmms_eval.api.instance import Instance
from lmms_eval.caching.response_cache import ResponseCache

from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

register_tasks()


def run(folder, count, answer, ends=True):
    made = lambda i: Instance(
        request_type="generate_until",
        arguments=(f"question {i}", {"temperature": 0, "do_sample": False}, None, i, "t", "test"),
        idx=0,
        metadata={"task": "t", "doc_id": i, "repeats": 1},
    )
    asked = []

    def model(missing):
        asked.extend(request.doc_id for request in missing)
        return [answer(request.doc_id) for request in missing]

    cache = ResponseCache.create(folder, model="m")
    requests = [made(i) for i in range(count)]
    served = cache.execute(SimpleNamespace(rank=0, generate_until=model), "generate_until", requests)
    if ends:
        cache.finalize(success=True)
    return served, asked
"""
"""A run of requests; its model answers with `answer(doc_id)`."""


@pytest.fixture
def run() -> object:
    """The function `run` of the script, in this process."""
    pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")
    found: dict[str, object] = {}
    exec(RUN, found)
    return found["run"]


def killed(folder: Path, after: int) -> subprocess.Popen[bytes]:
    """A process that answers `after` questions and is killed at the next one."""
    code = f"""
def answer(i):
    if i == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"answer {{i}}"
run({str(folder)!r}, 1000, answer)
"""
    return subprocess.Popen([sys.executable, "-c", RUN + code], stderr=subprocess.DEVNULL)


def test_a_killed_run_loses_one_slice(tmp_path: Path, run: object) -> None:
    """Two processes that are killed at once: a third one asks for nothing that the further of them had stored."""
    first, second = killed(tmp_path, 3 * SLICE + 10), killed(tmp_path, 5 * SLICE + 1)
    assert (first.wait(), second.wait()) == (-9, -9)
    assert kept_answers(tmp_path) == 5 * SLICE
    served, asked = run(str(tmp_path), 6 * SLICE, lambda i: f"answer {i}")  # type: ignore[operator]
    assert asked == list(range(5 * SLICE, 6 * SLICE))
    assert served == [f"answer {i}" for i in range(6 * SLICE)]


def test_a_failed_request_is_asked_again(tmp_path: Path, run: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not stored, also where a run of the same id replays its log; good answers come from the cache."""
    for run_id in ("", "job7"):
        monkeypatch.setenv("LMMS_CACHE_RUN_ID", run_id)
        folder = str(tmp_path / f"cache{run_id}")
        run(folder, 3, lambda i: FAILED if i == 1 else "good", ends=False)  # type: ignore[operator]
        served, asked = run(folder, 3, lambda _: "better")  # type: ignore[operator]
        assert asked == [1]
        assert served == ["good", "better", "good"]
        assert run(folder, 3, lambda _: "never asked")[1] == []  # type: ignore[operator]


def test_failures_that_the_host_alone_stored_are_dropped(
    tmp_path: Path, run: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache of an unpatched host is put right when the next run begins."""
    from lmms_eval.caching.response_cache import ResponseCache

    with monkeypatch.context() as unpatched:
        unpatched.setattr(ResponseCache, "_is_valid_response", staticmethod(lambda *_: True))
        run(str(tmp_path / "cache.db"), 3, lambda i: [FAILED] if i else "good")  # type: ignore[operator]
    served, asked = run(str(tmp_path), 3, lambda _: "better")  # type: ignore[operator]
    assert asked == [1, 2]
    assert served == ["good", "better", "better"]


def _write(path: Path, answers: dict[str, Any]) -> Path:
    """A file of the host's cache with these responses."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS responses (cache_key TEXT PRIMARY KEY, response TEXT)")
        db.executemany(
            "INSERT OR REPLACE INTO responses VALUES (?, ?)", [(k, json.dumps(v)) for k, v in answers.items()]
        )
    return path


def _read(path: Path) -> dict[str, Any]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return {key: json.loads(text) for key, text in db.execute("SELECT cache_key, response FROM responses")}


class _Host:
    """What stands in for the host's module: its lock, and a class that notes what its methods are called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.is_free = True
        calls = self.calls

        class ResponseCache:
            db: sqlite3.Connection

            @classmethod
            def create(cls, cache_root: str, **options: Any) -> Any:
                """Create."""
                calls.append(("create", cache_root, options))
                made = cls()
                made.db = sqlite3.connect(options["replayed"])
                return made

            def execute(self, lm: Any, reqtype: str, requests: Any) -> list[Any]:
                """Execute."""
                calls.append((lm, reqtype, len(requests)))
                return [f"answer {each}" for each in requests]

            @staticmethod
            def _is_valid_response(response: Any, request_type: str) -> bool:
                return bool(response) and request_type == "generate_until"

            @staticmethod
            def merge_shards(shards: list[str], target: str) -> None:
                """Merge."""
                calls.append(("merge", shards))
                for shard in shards:
                    _write(Path(target), _read(Path(shard)))

        self.ResponseCache = ResponseCache

    @contextlib.contextmanager
    def _merge_lock(self, path: str) -> Iterator[None]:
        self.calls.append(("lock", path))
        if not self.is_free:
            raise TimeoutError
        yield


def test_answers_of_killed_runs_are_merged_and_failures_dropped(tmp_path: Path) -> None:
    """Into a copy that takes the file's place under the host's lock; runs that were merged when they ended are not."""
    host = _Host()
    target = _write(tmp_path / "cache.db", {"a": "A", "b": FAILED, "c": ["C"], "d": [FAILED, "x"]})
    shards = [_write(tmp_path / "runs" / name / f"rank_{name}.db", {name: name, f"{name}-": FAILED}) for name in "12"]
    _write(tmp_path / "runs" / "ended" / "rank_0.db", {"ended": "x"})
    (tmp_path / "runs" / "ended" / ".merged").touch()
    host.is_free = False
    collect_killed_runs(host, tmp_path)
    assert len(_read(target)) == 4
    host.is_free = True
    collect_killed_runs(host, tmp_path)
    assert _read(target) == {"a": "A", "c": ["C"], "1": "1", "2": "2"}
    lock = ("lock", str(tmp_path / "runs" / ".merge.lock"))
    assert host.calls == [lock, lock, ("merge", [str(shard) for shard in shards])]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache.db", "runs"]


def test_a_cache_without_failures_is_left_alone(tmp_path: Path) -> None:
    """One with some is cleaned also where no run was killed; a folder without a cache is not touched."""
    host = _Host()
    collect_killed_runs(host, tmp_path)
    target = _write(tmp_path / "cache.db", {"a": f"I say {FAILED}"})
    collect_killed_runs(host, tmp_path)
    assert host.calls == []
    assert [path.name for path in tmp_path.iterdir()] == ["cache.db"]
    _write(target, {"b": FAILED})
    collect_killed_runs(host, tmp_path)
    assert _read(target) == {"a": f"I say {FAILED}"}
    (tmp_path / "other").mkdir()
    shard = _write(tmp_path / "other" / "runs" / "1" / "rank_0.db", {"x": "X", "y": FAILED})
    collect_killed_runs(host, tmp_path / "other")
    assert _read(tmp_path / "other" / "cache.db") == {"x": "X"}
    assert shard.exists()


def test_the_hosts_cache_is_patched(tmp_path: Path) -> None:
    """It takes in killed runs before it is made, keeps no failure, answers in slices and stores no failed request."""
    host = _Host()
    response_cache.patch(host)
    cache = host.ResponseCache
    _write(tmp_path / "runs" / "1" / "rank_0.db", {"x": "X"})
    log = _write(tmp_path / "log.db", {"a": FAILED, "b": "B"})
    for root in (str(tmp_path), str(tmp_path / "cache.db")):
        made = cache.create(root, replayed=log, model="m")
        assert isinstance(made, cache)
        assert host.calls[-1] == ("create", root, {"replayed": log, "model": "m"})
        assert _read(log) == {"b": "B"}
        assert _read(tmp_path / "cache.db") == {"x": "X"}
        (tmp_path / "cache.db").unlink()
        _write(log, {"a": FAILED})
    host.calls.clear()
    assert made.execute("lm", "generate_until", range(130)) == [f"answer {place}" for place in range(130)]
    assert host.calls == [("lm", "generate_until", count) for count in (64, 64, 2)]
    assert (cache.execute.__doc__, made.execute("lm", "x", [])) == ("Execute.", [])
    for response, expected in (
        *(("B", True), ("", False), (FAILED, False), ([FAILED], False), (("B", 0.5), True), ([["B"]], True)),
        *((SimpleNamespace(text="B"), True), (SimpleNamespace(text=FAILED), False), ([(FAILED, 1)], False), (5, True)),
    ):
        assert cache._is_valid_response(response, "generate_until") is expected
    assert not cache._is_valid_response("B", "loglikelihood")


def test_answers_are_counted_once_wherever_they_are(tmp_path: Path) -> None:
    """In the cache and in runs that were killed; a file that is none counts nothing."""
    assert kept_answers(tmp_path) == 0
    _write(tmp_path / "cache.db", {"a": "A", "b": "B"})
    _write(tmp_path / "runs" / "1" / "rank_0.db", {"b": "B", "c": "C"})
    _write(tmp_path / "runs" / "1" / "rank_1.db", {"d": "D"})
    _write(tmp_path / "runs" / "1" / "other.db", {"e": "E"})
    (tmp_path / "runs" / "1" / "rank_2.db").write_text("no database")
    (tmp_path / "runs" / "1" / "rank_3.db").mkdir()
    assert kept_answers(tmp_path) == 4
