"""Judging in batches, against a server of both protocols: each fault, kills and competitors; nothing is paid twice."""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from batch_server import WRITTEN, BatchServer, judge_quickly
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge import batch_files, batches, cache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers import server as provider_server
from spiqa_tasks.judge.types import JudgeRequest

KEY = "sk-secret-0123456789"
PROVIDERS = ["openai", "anthropic"]
OTHERS = [replace(request, prompt=f"Be brief. {request.prompt}") for request in WRITTEN]
ALIKE = [JudgeRequest(f"Ground-truth answer: 2\nCandidate answer: {place}", top_logprobs=3) for place in range(3)]
ODD = ["<html>", "null", "[]", "[null]", "5", '{"data": 5}', '{"id": [], "status": {}}', '{"request_counts": 5}']
openai_only = pytest.mark.parametrize("judge", ["openai"], indirect=True)


class Judge:
    """A judge at a server; each call is as by a new process with the same cache."""

    def __init__(self, provider: str, server: BatchServer, folder: Path) -> None:
        self.server, self.folder, self.engines = server, folder, list[Engine]()
        self.config = JudgeConfig(provider, "gpt-4o", server.url, KEY, cache_dir=folder, price=(2.0, 10.0))

    def engine(self, **changes: Any) -> Engine:
        self.engines.append(Engine(replace(self.config, **changes)))
        return self.engines[-1]

    def __call__(self, requests: Sequence[JudgeRequest] = WRITTEN, *, wait: bool = True, **changes: Any) -> bool:
        return batches.judge_in_batches(self.engine(**changes), requests, wait=wait)

    def known(self, requests: Sequence[JudgeRequest] = WRITTEN, **changes: Any) -> list[str]:
        engine = self.engine(**changes)
        return sorted(engine.known(engine.keyed(requests)))

    def paid(self) -> list[str]:
        return sorted(entry["custom_id"] for batch in self.server.batches for entry in batch.entries)

    def once(self, requests: Sequence[JudgeRequest] = WRITTEN, **changes: Any) -> bool:
        """Whether all have a verdict that is stored, and none was handed over twice or asked by itself."""
        known = self.known(requests, **changes)
        return self.paid() == known and len(known) == len(requests) and not self.server.requests


@pytest.fixture(params=PROVIDERS)
def judge(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    """At a server whose batches end at the first look; nobody waits long, neither here nor in an SDK."""
    monkeypatch.setattr(batches, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(batches, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(batches, "ARRIVAL_SECONDS", 0.5)
    monkeypatch.setattr(provider_server, "RETRIES", 0)
    with BatchServer() as server:
        made = Judge(request.param, server, tmp_path)
        yield made
        for each in made.engines:
            each.close()


def test_verdicts_and_bodies_are_those_of_single_requests(judge: Judge, tmp_path: Path) -> None:
    """Same texts, log-probabilities, models and tokens, though lines come in another order; one line a request."""
    requests = [*WRITTEN, *(ALIKE if judge.config.provider == "openai" else [])]
    assert judge([*requests, *requests])
    assert judge.once(requests)
    collected = judge.engine().map(requests)
    single = judge.engine(cache_dir=tmp_path / "other").map(requests)
    assert [replace(verdict, cached=False) for verdict in collected] == single
    sent = [entry.get("body") or entry["params"] for entry in judge.server.batches[0].entries]
    assert sorted(map(str, sent)) == sorted(str(request["body"]) for request in judge.server.requests)


@openai_only
def test_what_is_there_is_never_handed_over(judge: Judge) -> None:
    """Stored verdicts cost nothing, and with all of them stored the server is not called."""
    judge.engine().map(WRITTEN[:1])
    assert judge()
    assert [len(batch.entries) for batch in judge.server.batches] == [3]
    judge.server.calls.clear()
    assert judge()
    assert not judge.server.calls


@openai_only
def test_without_waiting_a_later_call_collects(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    """Each call says how many are done; new requests go into a batch of their own, other judges' batches stay."""
    judge.server.ends_at = 3
    assert not judge(WRITTEN[:2], wait=False)
    assert not judge(WRITTEN, wait=False, model="other")
    assert not judge(wait=False)
    assert "1 of 4 requests are done" in capsys.readouterr().err
    assert judge()
    assert [len(batch.entries) for batch in judge.server.batches] == [2, 4, 2]
    state = (judge.folder / batches.FILE_NAME).read_text()
    assert [batch["judge"] for batch in json.loads(state).values()] == ["openai:other"]
    assert KEY not in state


def test_what_failed_in_a_batch_is_failed_and_handed_over_again(
    judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused, unanswered and garbled entries are statuses in this run; the next one asks only for them."""
    judge.server.refused, judge.server.silent, judge.server.garbled = {0}, {1}, {2}
    assert judge()
    assert "1 judged, 3 failed" in capsys.readouterr().err
    reasons = sorted(verdict.reason or "" for verdict in judge.engines[-1].map(WRITTEN))
    assert ["no answer" in reason for reason in reasons] == [False, False, True, True]
    assert "too long" in reasons[1]
    judge.server.refused = judge.server.silent = judge.server.garbled = set()
    assert judge()
    assert [len(batch.entries) for batch in judge.server.batches] == [4, 3]
    assert len(judge.known()) == 4
    assert not judge.server.requests


@openai_only
@pytest.mark.parametrize(("status", "judged"), [("failed", 0), ("expired", 2), ("cancelled", 2)])
def test_a_batch_that_ends_early_says_so_of_each_request(judge: Judge, status: str, judged: int) -> None:
    """Answers that were made before it ended count, as they are paid for; the batch is let go of."""
    judge.server.status, judge.server.silent = status, {0, 1}
    assert judge()
    verdicts = judge.engines[-1].map(WRITTEN)
    assert sum(verdict.ok for verdict in verdicts) == judged
    added = "; a line is no request" if status == "failed" else ""
    assert {verdict.reason for verdict in verdicts if not verdict.ok} == {f"the batch {status}{added}"}


@pytest.mark.parametrize("call", ["look", "results"])
def test_a_batch_that_vanished_is_told_and_let_go_of(judge: Judge, call: str) -> None:
    """Where the server is there otherwise; the next call hands its requests over."""
    judge.server.faults = {call: iter(["404"]), "list": iter(["404"])}
    assert not judge(wait=False)
    with pytest.raises(JudgeError, match="neither lost nor paid again"):
        judge(wait=False)
    judge.server.faults = {call: iter(["404"])}
    assert judge(wait=False)
    assert {verdict.reason for verdict in judge.engines[-1].map(WRITTEN)} == {
        "the server knows the batch batch_0 no more"
    }
    assert judge()
    assert len(judge.server.batches) == 2


@pytest.mark.parametrize(("fault", "made"), [("late", 1), ("503", 0), ("null", 1), ("<html>", 1), ("[]", 1)])
def test_a_creation_without_a_sound_answer_is_looked_up_before_it_is_repeated(
    judge: Judge, fault: str, made: int
) -> None:
    """Whether it was made or not; a batch of as many others is not taken for it."""
    assert judge(OTHERS)
    judge.server.faults["create"] = iter([fault])
    with pytest.raises(JudgeError, match="neither lost nor paid again"):
        judge(wait=False)
    assert (len(judge.server.batches), judge.server.calls["create"]) == (1 + made, 2)
    assert judge(wait=False) is bool(made)
    assert judge()
    assert judge.once([*WRITTEN, *OTHERS])


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_a_clock_that_is_set_hands_nothing_over_twice(
    judge: Judge, jump: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a creation whose answer was lost, while the server's list does not show the batch yet."""
    real, calls = time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: real() + (jump if next(calls) else 0))
    judge.server.faults = {"create": iter(["late"]), "list": iter(['{"data": [], "has_more": false}'])}
    assert judge()
    assert judge.once()
    if jump < 0:  # between two processes
        calls = itertools.count()
        judge.server.faults = {"create": iter(["late"]), "list": iter(['{"data": [], "has_more": false}'])}
        with pytest.raises(JudgeError):
            judge(OTHERS, wait=False)
        assert judge(OTHERS)
        assert judge.once([*WRITTEN, *OTHERS])


@pytest.mark.parametrize("judge", ["anthropic"], indirect=True)
def test_a_batch_of_others_under_way_is_waited_for(judge: Judge, tmp_path: Path) -> None:
    """There are no tags: one of as many requests may be the one that was lost, until it has ended."""
    judge.server.ends_at = 5
    assert not judge(OTHERS, wait=False, cache_dir=tmp_path / "other")
    judge.server.faults["create"] = iter(["503"])
    with pytest.raises(JudgeError):
        judge(wait=False)
    time.sleep(0.5)
    assert not judge(wait=False)
    assert len(judge.server.batches) == 1
    judge.server.ends_at = 1
    assert judge()
    assert len(judge.server.batches) == 2


def test_a_refused_creation_leaves_nothing_behind(judge: Judge) -> None:
    """One sentence without the key, which the server repeats; the next call hands over at once."""
    judge.server.faults["create"] = iter(["401"])
    with pytest.raises(JudgeError, match="Expected the batch interface of the judge") as error:
        judge()
    assert KEY not in str(error.value)
    assert judge()
    assert judge.once()
    assert not judge.server.calls["list"]


@pytest.mark.parametrize(("fault", "came"), [("cut", 1), ("short", 1), ("500", 0)])
def test_a_download_that_breaks_off_is_resumed(judge: Judge, fault: str, came: int) -> None:
    """By the same call where it waits, else by the next; what came is stored, and the batch kept until all is there."""
    judge.server.faults["results"] = iter([fault])
    assert judge()
    assert judge.once()
    assert judge.server.calls["results"] == 2
    judge.server.faults["results"] = iter([fault])
    assert not judge(OTHERS, wait=False)
    with pytest.raises(JudgeError, match="neither lost nor paid again"):
        judge(OTHERS, wait=False)
    assert len(judge.known(OTHERS)) == came
    assert judge(OTHERS, wait=False)
    assert judge.once([*WRITTEN, *OTHERS])


def test_a_cache_that_is_locked_keeps_the_batch_open(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is reported as judged, and the next call collects what was paid for."""
    monkeypatch.setattr(cache.VerdictCache.__init__, "__defaults__", (0.1,))
    engine = judge.engine()
    assert not engine.known(["a"])
    with contextlib.closing(sqlite3.connect(judge.folder / cache.FILE_NAME, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JudgeError, match=r"store 4 verdicts in the judge's cache, .* locked"):
            batches.judge_in_batches(engine, WRITTEN, wait=True)
    assert judge()
    assert judge.once()


def test_results_come_only_from_the_host_that_was_asked(judge: Judge, server: OpenAIServer) -> None:
    """Neither an address in an answer nor a redirect takes the key elsewhere."""
    judge.server.results_url = f"{server.url}/messages/batches/batch_0/results"
    judge.server.faults["results"] = iter(["302"])
    assert not judge(wait=False)
    with pytest.raises(JudgeError, match=r"another host, 127.0.0.1|302"):
        judge(wait=False)
    assert not server.requests
    judge.server.results_url = ""
    assert judge()
    assert judge.once()


def test_what_the_sdks_find_in_the_environment_stays_here(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Organisation, project, other keys and headers; the judge's own key goes out."""
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "private")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Team: private\nAuthorization: Bearer private\nX-Api-Key: private")
    assert judge()
    sent = " ".join(value for headers in judge.server.headers for value in headers.values())
    assert "private" not in sent
    assert KEY in sent


@openai_only
def test_large_lists_become_several_batches(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by size, every request in exactly one."""
    monkeypatch.setattr(batch_files, "MOST_ENTRIES", 3)
    assert judge()
    monkeypatch.setattr(batch_files, "MOST_BYTES", 1)
    assert judge(OTHERS)
    assert [len(batch.entries) for batch in judge.server.batches] == [3, 1, 1, 1, 1, 1]
    assert judge.once([*WRITTEN, *OTHERS])


@openai_only
def test_the_price_is_half(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    """The line has what it cost, and what single requests would have."""
    judge([JudgeRequest("x" * 4_000_000, top_logprobs=None)])
    assert "about $1.00 instead of $2.00" in capsys.readouterr().err


def test_a_batch_that_never_ends_is_waited_for_a_day(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the call ends, and the batch stays open; looks are an hour apart here."""
    judge.server.ends_at, hours = 10**9, itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 3600.0 * next(hours), time=time.time, sleep=lambda _: None)
    monkeypatch.setattr(batches, "time", clock)
    assert not judge()
    assert 20 < judge.server.calls["look"] < 30
    assert judge.server.calls["create"] == 1


def test_answers_without_end_are_given_up(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list whose pages go on and on, and responses."""
    monkeypatch.setattr(provider_server, "LONGEST_LIST", 50)
    monkeypatch.setattr(provider_server, "LONGEST_LINE", 100_000)
    judge.server.faults["results"] = iter(["endless"])
    assert not judge(OTHERS[:1], wait=False)
    with pytest.raises(JudgeError, match="without end"):
        judge(OTHERS[:1], wait=False)
    judge.server.more, judge.server.faults["create"] = True, iter(["503"])
    with pytest.raises(JudgeError):
        judge(wait=False)
    assert not judge(wait=False)
    assert 10 < judge.server.calls["list"] < 60


@pytest.mark.parametrize("call", ["look", "list", "results"])
def test_no_answer_of_an_odd_shape_breaks_anything(judge: Judge, call: str) -> None:
    """HTML, lists, null and numbers where an object belongs: one sentence, and the next call goes on."""
    judge.server.faults["create"] = iter(["late"] if call == "list" else [])
    for odd in ODD:
        judge.server.faults[call] = iter([odd])
        with contextlib.suppress(JudgeError):
            judge(wait=False)
    judge.server.faults.clear()
    judge()
    assert len(judge.paid()) == len(WRITTEN)


@openai_only
@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"a": {"judge": "openai:m"}}', "[" * 200_000, "\xff"])
def test_a_list_of_open_batches_that_cannot_be_read_stops_the_call(judge: Judge, content: str) -> None:
    """Going on would pay again."""
    (judge.folder / batches.FILE_NAME).write_bytes(content.encode("latin-1"))
    with pytest.raises(JudgeError, match="found something else"):
        judge()
    assert not judge.server.calls


@pytest.fixture(scope="module")
def processes() -> multiprocessing.context.ForkServerContext:
    """Starts processes that have all imports behind them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["batch_server", "openai", "anthropic"])
    return context


def test_two_processes_at_once_pay_once(judge: Judge, processes: multiprocessing.context.ForkServerContext) -> None:
    """Whoever collects, both have all verdicts."""
    judge.server.ends_at, judge.server.behaviour.latency = 3, 0.01
    arguments = judge.config.provider, judge.server.url, judge.folder
    started = [processes.Process(target=judge_quickly, args=arguments) for _ in range(2)]
    for each in started:
        each.start()
    for each in started:
        each.join(60)
    assert [each.exitcode for each in started] == [0, 0]
    assert judge.once(model="m")


@pytest.mark.parametrize("moments", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_costs_nothing(
    judge: Judge, moments: int, processes: multiprocessing.context.ForkServerContext
) -> None:
    """From the start of the process to the end of the last download; nothing is paid twice and nothing lost."""
    judge.server.behaviour.latency = 0.02
    for moment in range(moments):
        judge.server.batches.clear()
        judge.server.ends_at, folder = 3, judge.folder / str(moment)
        process = processes.Process(target=judge_quickly, args=(judge.config.provider, judge.server.url, folder))
        process.start()
        time.sleep(random.uniform(0.02, 0.4))
        process.kill()
        process.join(10)
        assert judge_quickly(judge.config.provider, judge.server.url, folder)
        assert judge.once(model="m", cache_dir=folder)
