"""The host's own cache of answers: runs that are killed, failed requests, two processes."""

import contextlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from spiqa_tasks.hosts.lmms_eval.response_cache import SLICE, _collect_killed_runs

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
    host_model = SimpleNamespace(rank=0, generate_until=model)
    served = cache.execute(host_model, "generate_until", requests)
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
    """Two processes that are killed at once: a third one asks for nothing that the further of
    them had stored.
    """
    first, second = killed(tmp_path, 3 * SLICE + 10), killed(tmp_path, 5 * SLICE + 1)
    assert (first.wait(), second.wait()) == (-9, -9)
    served, asked = run(str(tmp_path), 6 * SLICE, lambda i: f"answer {i}")  # type: ignore[operator]
    assert asked == list(range(5 * SLICE, 6 * SLICE))
    assert served == [f"answer {i}" for i in range(6 * SLICE)]


@pytest.mark.parametrize("size", [0, 4096, 6000])
def test_a_damaged_store_of_a_killed_run_ends_no_later_one(
    tmp_path: Path, run: object, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    """It is set aside and named; the answers of other killed runs are used, an empty file is
    left.
    """
    run(str(tmp_path), SLICE, str, ends=False)  # type: ignore[operator]
    (good,) = (tmp_path / "runs").glob("*/rank_*.db")
    with contextlib.closing(sqlite3.connect(good)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    bad = tmp_path / "runs" / "killed" / "rank_0.db"
    bad.parent.mkdir()
    bad.write_bytes(good.read_bytes()[:size])
    with caplog.at_level("WARNING", "spiqa_tasks"):
        _, asked = run(str(tmp_path), SLICE, str)  # type: ignore[operator]
    assert asked == []
    assert bad.exists() == (size == 0)
    assert [str(bad) in record.getMessage() for record in caplog.records] == [True] * (size > 0)


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path, run: object) -> None:
    """By its number on this machine."""
    run(str(tmp_path), SLICE, str, ends=False)  # type: ignore[operator]
    lock = tmp_path / "runs" / ".merge.lock"
    lock.mkdir()
    owner = {"pid": 2**22 + 1, "hostname": socket.gethostname()}
    (lock / "owner.json").write_text(json.dumps(owner), encoding="utf-8")
    assert run(str(tmp_path), SLICE, str)[1] == []  # type: ignore[operator]
    assert not lock.exists()


@pytest.mark.parametrize("pid", [1, os.getpid(), None], ids=["init", "this process", "not signed"])
def test_the_lock_of_a_live_process_is_respected(
    tmp_path: Path, run: object, pid: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Its answers are asked again, and the lock is named; one that is not signed, however old it
    is, may be a live process's.
    """
    run(str(tmp_path), SLICE, str, ends=False)  # type: ignore[operator]
    from lmms_eval.caching import response_cache as host

    lock = tmp_path / "runs" / ".merge.lock"
    lock.mkdir()
    if pid is not None:
        owner = {"pid": pid, "hostname": socket.gethostname()}
        (lock / "owner.json").write_text(json.dumps(owner), encoding="utf-8")
    os.utime(lock, (0, 0))
    at_once = lambda path: _merge_lock(path, timeout_seconds=0)  # noqa: E731
    _merge_lock = host._merge_lock
    with pytest.MonkeyPatch.context() as patch, caplog.at_level("WARNING", "spiqa_tasks"):
        patch.setattr(host, "_merge_lock", at_once)
        _collect_killed_runs(host, tmp_path)
    assert lock.exists()
    assert str(lock) in caplog.text


def test_a_failed_request_is_asked_again(
    tmp_path: Path, run: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not stored, also where a run of the same id replays its log; good answers come from
    the cache.
    """
    for run_id in ("", "job7"):
        monkeypatch.setenv("LMMS_CACHE_RUN_ID", run_id)
        folder = str(tmp_path / f"cache{run_id}")
        run(folder, 3, lambda i: FAILED if i == 1 else "good", ends=False)  # type: ignore[operator]
        served, asked = run(folder, 3, lambda _: "better")  # type: ignore[operator]
        assert asked == [1]
        assert served == ["good", "better", "good"]
        assert run(folder, 3, lambda _: "never asked")[1] == []  # type: ignore[operator]


def test_an_answer_from_the_cache_is_known_to_be_cut_off(tmp_path: Path, run: object) -> None:
    """It keeps the number of its tokens, so that a run that went on has the scores of one that did
    not stop.
    """
    from lmms_eval.api.instance import GenerationResult, TokenCounts, unwrap_generation_output

    def answer(doc_id: int) -> GenerationResult:
        return GenerationResult(f"answer {doc_id}", TokenCounts(output_tokens=512 + doc_id))

    first, _ = run(str(tmp_path), 2, answer)  # type: ignore[operator]
    again, asked = run(str(tmp_path), 2, answer)  # type: ignore[operator]
    assert asked == []
    assert list(map(unwrap_generation_output, again)) == list(map(unwrap_generation_output, first))


def test_a_failure_is_known_in_every_form_of_an_answer(run: object) -> None:
    """A text, lists with one, tuples with token counts, and objects with a text."""
    run("", 0, str)  # type: ignore[operator]
    from lmms_eval.caching.response_cache import ResponseCache

    for text, expected in (("B", True), (FAILED, False)):
        for response in (
            text,
            [text],
            [[text]],
            (text, 0.5),
            [(text, 1)],
            SimpleNamespace(text=text),
        ):
            assert ResponseCache._is_valid_response(response, "generate_until") is expected
