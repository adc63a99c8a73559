"""Records that wait for a verdict: filled in place, complete wherever they are sent."""

from __future__ import annotations

import copy
import json
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

from openai_server import OpenAIServer

from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.judge.pending import JudgedRecord
from spiqa_tasks.judge.types import Verdict, failed


class Later:
    """A verdict that comes when it is let go."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.event = threading.Event()
        self.asked = 0

    def done(self) -> bool:
        return self.event.is_set()

    def result(self, timeout: float | None = None) -> Verdict:
        self.asked += 1
        assert self.event.wait(timeout or 30)
        return self.verdict


def _fill(verdict: Verdict) -> dict[str, Any]:
    return {"status": verdict.status} | ({"score": 0.75} if verdict.ok else {"reason": verdict.reason})


def _record(verdict: Verdict) -> tuple[JudgedRecord, Later]:
    later = Later(verdict)
    return JudgedRecord({"id": "p/0"}, later, _fill), later


def test_a_record_is_there_before_its_verdict() -> None:
    """Until the verdict comes the record says that it is pending and nothing waits."""
    record, later = _record(Verdict("ok"))
    assert dict(record) == {"id": "p/0", "status": "pending"}
    assert later.asked == 0


def test_resolving_fills_in_place_and_once() -> None:
    """All holders of the record see the score, and resolving again changes nothing."""
    record, later = _record(Verdict("ok"))
    later.event.set()
    assert record.resolve() is record
    assert record == {"id": "p/0", "status": "ok", "score": 0.75}
    record["score"] = 0.1
    assert record.resolve()["score"] == 0.1
    assert later.asked == 1


def test_pickling_waits_and_gives_a_plain_dict() -> None:
    """What arrives in another process is complete and needs nothing of ours to be read."""
    record, later = _record(Verdict("ok"))
    threading.Timer(0.05, later.event.set).start()
    arrived = pickle.loads(pickle.dumps([record]))
    assert type(arrived[0]) is dict
    assert arrived == [{"id": "p/0", "status": "ok", "score": 0.75}]
    assert b"spiqa" not in pickle.dumps(record)


def test_every_pickle_protocol_and_copy_is_complete() -> None:
    """copy, deepcopy, .copy() and all pickle protocols wait for the verdict."""
    for duplicate in (copy.copy, copy.deepcopy, JudgedRecord.copy):
        record, later = _record(Verdict("ok"))
        later.event.set()
        assert duplicate(record) == {"id": "p/0", "status": "ok", "score": 0.75}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        record, later = _record(Verdict("ok"))
        later.event.set()
        assert pickle.loads(pickle.dumps(record, protocol))["score"] == 0.75


def test_a_failed_judgement_has_no_score() -> None:
    """The host's error estimate runs over records that have a score, so a failure must not have one."""
    record, later = _record(failed("HTTP 500"))
    later.event.set()
    assert json.loads(json.dumps(record.resolve())) == {"id": "p/0", "status": "judge_failed", "reason": "HTTP 500"}


def test_many_threads_may_resolve_one_record() -> None:
    """Resolving from several threads at once fills the record once and leaves it whole."""
    record, later = _record(Verdict("ok"))
    threads = [threading.Thread(target=record.resolve) for _ in range(8)]
    for thread in threads:
        thread.start()
    later.event.set()
    for thread in threads:
        thread.join(10)
    assert record == {"id": "p/0", "status": "ok", "score": 0.75}


def test_a_record_without_a_verdict_to_come_is_complete() -> None:
    """Failed requests are recorded as they are, and nothing is waited for."""
    record = JudgedRecord({"id": "p/1", "status": "request_failed"})
    assert record.resolve() == {"id": "p/1", "status": "request_failed"}


def test_four_threads_hand_over_records_without_waiting(server: OpenAIServer, engine_of: Callable[..., Engine]) -> None:
    """As in the host: four threads make records of a slow judge at once, and the aggregation finds them all scored."""
    server.behaviour.latency = 0.3
    judge = L3Judge(engine_of(timeout=30))
    records: list[JudgedRecord] = []
    slowest = 0.0

    def score(start: int) -> None:
        nonlocal slowest
        for number in range(start, 40, 4):
            begin = time.perf_counter()
            records.append(judge.record({"id": number}, f"Q{number}?", "a", "a" if number % 2 else "b"))
            slowest = max(slowest, time.perf_counter() - begin)

    threads = [threading.Thread(target=score, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert slowest < 0.3
    judge.finish(records, report=False)
    assert all((record["score"] > 0.9) == bool(record["id"] % 2) for record in records)
    assert len(records) == 40
