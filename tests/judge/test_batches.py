"""Judging in batches, against a server of both protocols: each fault, kills and competitors; nothing is paid twice."""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from batch_server import BatchServer
from batch_worker import WRITTEN, judge
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge import batches, cache
from spiqa_tasks.judge.batches import FILE_NAME, judge_in_batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers import sdk
from spiqa_tasks.judge.types import JudgeRequest

KEY = "sk-secret-0123456789"
PROVIDERS = ["openai", "anthropic"]
MakeEngine = Callable[..., Engine]
REQUESTS = [
    JudgeRequest(f"Ground-truth answer: {place}\nCandidate answer: {place % 3}", top_logprobs=3) for place in range(9)
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long, neither here nor in an SDK."""
    monkeypatch.setattr(batches, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(batches, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(batches, "ARRIVAL_SECONDS", 0.5)
    monkeypatch.setattr(sdk, "RETRIES", 0)


@pytest.fixture
def batching() -> Iterator[BatchServer]:
    """A server whose batches end at the first look."""
    with BatchServer() as running:
        yield running


@pytest.fixture
def engine(batching: BatchServer, tmp_path: Path) -> Iterator[MakeEngine]:
    """Makes engines for judges at the server, all with one cache."""
    made: list[Engine] = []
    config = JudgeConfig("openai", "gpt-4o", batching.url, KEY, cache_dir=tmp_path, price=(2.0, 10.0))

    def make(provider: str = "openai", **changes: object) -> Engine:
        made.append(Engine(replace(config, provider=provider, **changes)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        each.close()


def paid(server: BatchServer) -> list[str]:
    """The keys of all that was handed over."""
    return sorted(entry["custom_id"] for batch in server.batches for entry in batch.entries)


def judged_once(server: BatchServer, engine: Engine, requests: list[JudgeRequest] = WRITTEN) -> bool:
    """Whether all have a verdict that is stored, none was handed over twice, and none asked by itself."""
    stored = engine.known(engine.keyed(requests))
    return paid(server) == sorted(stored) and len(stored) == len(requests) and not server.requests


@pytest.mark.parametrize(("provider", "requests"), [("openai", [*REQUESTS, *WRITTEN]), ("anthropic", WRITTEN)])
def test_verdicts_and_bodies_are_those_of_single_requests(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, provider: str, requests: list[JudgeRequest]
) -> None:
    """Same texts, log-probabilities, models and tokens, though the lines come in another order; one line a request."""
    assert judge_in_batches(engine(provider), [*requests, *requests], wait=True)
    assert judged_once(batching, engine(provider), requests)
    collected = engine(provider).map(requests)
    single = engine(provider, cache_dir=tmp_path / "other").map(requests)
    assert [replace(verdict, cached=False) for verdict in collected] == single
    sent = [entry.get("body") or entry["params"] for entry in batching.batches[0].entries]
    assert sorted(map(str, sent)) == sorted(str(request["body"]) for request in batching.requests)


def test_what_is_there_is_never_handed_over(engine: MakeEngine, batching: BatchServer) -> None:
    """Stored verdicts cost nothing, and with all of them stored the server is not called."""
    engine().map(REQUESTS[:5])
    assert judge_in_batches(engine(), REQUESTS, wait=True)
    assert [len(batch.entries) for batch in batching.batches] == [4]
    batching.calls.clear()
    assert judge_in_batches(engine(), REQUESTS, wait=True)
    assert not batching.calls


def test_without_waiting_a_later_call_collects(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each call says how many are done; new requests go into a batch of their own, other judges' batches stay."""
    batching.ends_at = 3
    assert not judge_in_batches(engine(), REQUESTS[:5], wait=False)
    assert not judge_in_batches(engine(model="other"), REQUESTS[:1], wait=False)
    assert not judge_in_batches(engine(), REQUESTS, wait=False)
    assert "1 of 9 requests are done" in capsys.readouterr().err
    assert judge_in_batches(engine(), REQUESTS, wait=True)
    assert [len(batch.entries) for batch in batching.batches] == [5, 1, 4]
    state = (tmp_path / FILE_NAME).read_text()
    assert [batch["judge"] for batch in json.loads(state).values()] == ["openai:other"]
    assert KEY not in state


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_failed_in_a_batch_is_failed_and_handed_over_again(
    engine: MakeEngine, batching: BatchServer, provider: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused, unanswered and garbled entries are statuses in this run; the next one asks only for them."""
    batching.refused, batching.silent, batching.garbled = {0}, {1}, {2}
    first = engine(provider)
    assert judge_in_batches(first, WRITTEN, wait=True)
    assert "1 judged, 3 failed" in capsys.readouterr().err
    reasons = sorted(verdict.reason or "" for verdict in first.map(WRITTEN))
    assert ["no answer" in reason for reason in reasons] == [False, False, True, True]
    assert "too long" in reasons[1]
    batching.refused = batching.silent = batching.garbled = set()
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert [len(batch.entries) for batch in batching.batches] == [4, 3]
    assert all(verdict.ok for verdict in engine(provider).map(WRITTEN))
    assert not batching.requests


@pytest.mark.parametrize(("status", "judged"), [("failed", 0), ("expired", 5), ("cancelled", 5)])
def test_a_batch_that_ends_early_says_so_of_each_request(
    engine: MakeEngine, batching: BatchServer, status: str, judged: int
) -> None:
    """Answers that were made before it ended count, as they are paid for; the batch is let go of."""
    batching.status, batching.silent = status, set(range(4))
    first = engine()
    assert judge_in_batches(first, REQUESTS, wait=True)
    verdicts = first.map(REQUESTS)
    assert sum(verdict.ok for verdict in verdicts) == judged
    added = "; a line is no request" if status == "failed" else ""
    assert {verdict.reason for verdict in verdicts if not verdict.ok} == {f"the batch {status}{added}"}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("call", ["look", "results"])
def test_a_batch_that_vanished_is_told_and_let_go_of(
    engine: MakeEngine, batching: BatchServer, provider: str, call: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next call hands its requests over."""
    batching.faults[call] = iter(["404"])
    first = engine(provider)
    assert judge_in_batches(first, WRITTEN, wait=True)
    assert "knows the batch batch_0 no more" in capsys.readouterr().err
    assert {verdict.reason for verdict in first.map(WRITTEN)} == {"the server knows the batch batch_0 no more"}
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert len(batching.batches) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("fault", "made"), [("late", 1), ("503", 0), ("null", 1), ("<html>", 1), ("[]", 1)])
def test_a_creation_without_a_sound_answer_is_looked_up_before_it_is_repeated(
    engine: MakeEngine, batching: BatchServer, provider: str, fault: str, made: int
) -> None:
    """Whether it was made or not; a batch of as many others is not taken for it."""
    others = [replace(request, system="Be brief.") for request in WRITTEN]
    assert judge_in_batches(engine(provider), others, wait=True)
    before = set(paid(batching))
    batching.faults["create"] = iter([fault])
    with pytest.raises(JudgeError, match="neither lost nor paid again"):
        judge_in_batches(engine(provider), WRITTEN, wait=False)
    assert (len(batching.batches), batching.calls["create"]) == (1 + made, 2)
    assert judge_in_batches(engine(provider), WRITTEN, wait=False) is bool(made)
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert sorted(set(paid(batching)) - before) == sorted(engine(provider).keyed(WRITTEN))
    assert len(batching.batches) == 2


def test_a_batch_of_others_under_way_is_waited_for(engine: MakeEngine, batching: BatchServer, tmp_path: Path) -> None:
    """There are no tags at Anthropic: one of as many requests may be the one that was lost, until it has ended."""
    batching.ends_at = 5
    other = engine("anthropic", cache_dir=tmp_path / "other")
    assert not judge_in_batches(other, [replace(request, max_tokens=5) for request in WRITTEN], wait=False)
    batching.faults["create"] = iter(["503"])
    with pytest.raises(JudgeError):
        judge_in_batches(engine("anthropic"), WRITTEN, wait=False)
    time.sleep(0.5)
    assert not judge_in_batches(engine("anthropic"), WRITTEN, wait=False)
    assert len(batching.batches) == 1
    batching.ends_at = 1
    assert judge_in_batches(engine("anthropic"), WRITTEN, wait=True)
    assert len(batching.batches) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_creation_leaves_nothing_behind(engine: MakeEngine, batching: BatchServer, provider: str) -> None:
    """One sentence without the key, which the server repeats; the next call hands over at once."""
    batching.faults["create"] = iter(["401"])
    with pytest.raises(JudgeError, match="Expected the batch interface of the judge") as error:
        judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert KEY not in str(error.value)
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert judged_once(batching, engine(provider))
    assert not batching.calls["list"]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", ["cut", "short", "500"])
def test_a_download_that_breaks_off_is_resumed(
    engine: MakeEngine, batching: BatchServer, provider: str, fault: str
) -> None:
    """By the same call where it waits, else by the next; what came is stored, and the batch kept until all is there."""
    batching.ends_at, batching.faults["results"] = 2, iter([fault])
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert judged_once(batching, engine(provider))
    assert batching.calls["results"] == 2
    more = [replace(request, max_tokens=7) for request in WRITTEN]
    batching.ends_at, batching.faults["results"] = 1, iter([fault])
    assert not judge_in_batches(engine(provider), more, wait=False)
    with pytest.raises(JudgeError, match="neither lost nor paid again"):
        judge_in_batches(engine(provider), more, wait=False)
    assert len(engine(provider).known(engine(provider).keyed(more))) == {"500": 0, "cut": 1, "short": 1}[fault]
    assert judge_in_batches(engine(provider), more, wait=False)
    assert judged_once(batching, engine(provider), [*WRITTEN, *more])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cache_that_is_locked_keeps_the_batch_open(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is reported as judged, and the next call collects what was paid for."""
    monkeypatch.setattr(cache, "LOCKED_SECONDS", 0.1)
    monkeypatch.setattr(cache.VerdictCache.__init__, "__defaults__", (0.1,))
    first = engine(provider)
    assert not first.known(["a"])
    with sqlite3.connect(tmp_path / cache.FILE_NAME, isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JudgeError, match=r"store 4 verdicts in the judge's cache, .* locked"):
            judge_in_batches(first, WRITTEN, wait=True)
    db.close()
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert judged_once(batching, engine(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_results_come_only_from_the_host_that_was_asked(
    engine: MakeEngine, batching: BatchServer, server: OpenAIServer, provider: str
) -> None:
    """Neither an address in an answer nor a redirect takes the key elsewhere."""
    batching.results_url = f"{server.url}/messages/batches/batch_0/results"
    batching.faults["results"] = iter(["302"])
    assert not judge_in_batches(engine(provider), WRITTEN, wait=False)
    with pytest.raises(JudgeError, match=r"another host, 127.0.0.1|302"):
        judge_in_batches(engine(provider), WRITTEN, wait=False)
    assert not server.requests
    batching.results_url = ""
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert judged_once(batching, engine(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_the_sdks_find_in_the_environment_stays_here(
    engine: MakeEngine, batching: BatchServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Organisation, project, other keys and headers; the judge's own key goes out."""
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "private")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Team: private\nAuthorization: Bearer private\nX-Api-Key: private")
    assert judge_in_batches(engine(provider), WRITTEN, wait=True)
    sent = {value for headers in batching.headers for value in headers.values()}
    assert not [value for value in sent if "private" in value]
    assert [value for value in sent if KEY in value]


def test_large_lists_become_several_batches(
    engine: MakeEngine, batching: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number and by size, every request in exactly one."""
    monkeypatch.setattr(batches, "MOST_ENTRIES", 4)
    assert judge_in_batches(engine(), REQUESTS, wait=True)
    monkeypatch.setattr(batches, "MOST_BYTES", 1)
    assert judge_in_batches(engine(), WRITTEN, wait=True)
    assert [len(batch.entries) for batch in batching.batches] == [4, 4, 1, 1, 1, 1, 1]
    assert judged_once(batching, engine(), [*REQUESTS, *WRITTEN])


def test_the_price_is_half(engine: MakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    """The line has what it cost, and what single requests would have."""
    judge_in_batches(engine(), [JudgeRequest("x" * 4_000_000, top_logprobs=None)], wait=True)
    assert "about $1.00 instead of $2.00" in capsys.readouterr().err


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_never_ends_is_waited_for_a_day(
    engine: MakeEngine, batching: BatchServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the call ends, and the batch stays open; seconds are hours here."""
    batching.ends_at = 10**9
    hours = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 3600.0 * next(hours), time=time.time, sleep=lambda _: None)
    monkeypatch.setattr(batches, "time", clock)
    assert not judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert 20 < batching.calls["look"] < 30
    assert batching.calls["create"] == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answers_without_end_are_given_up(
    engine: MakeEngine, batching: BatchServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list whose pages go on and on, and responses."""
    monkeypatch.setattr(sdk, "LONGEST_LIST", 50)
    monkeypatch.setattr(sdk, "LONGEST_LINE", 100_000)
    batching.faults["results"] = iter(["endless"])
    assert not judge_in_batches(engine(provider), WRITTEN[:1], wait=False)
    with pytest.raises(JudgeError, match="without end"):
        judge_in_batches(engine(provider), WRITTEN[:1], wait=False)
    batching.more, batching.faults["create"] = True, iter(["503"])
    with pytest.raises(JudgeError):
        judge_in_batches(engine(provider), WRITTEN, wait=False)
    assert not judge_in_batches(engine(provider), WRITTEN, wait=False)
    assert 10 < batching.calls["list"] < 60


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("call", ["look", "list", "results"])
def test_no_answer_of_an_odd_shape_breaks_anything(
    engine: MakeEngine, batching: BatchServer, provider: str, call: str
) -> None:
    """HTML, lists, null and numbers where an object belongs: one sentence, and the next call goes on."""
    batching.faults["create"] = iter(["late"] if call == "list" else [])
    for odd in (
        "<html>",
        "null",
        "[]",
        "[null]",
        "5",
        '{"data": 5}',
        '{"id": [], "status": {}}',
        '{"request_counts": 5}',
    ):
        batching.faults[call] = iter([odd])
        with contextlib.suppress(JudgeError):
            judge_in_batches(engine(provider), WRITTEN, wait=False)
    batching.faults.clear()
    judge_in_batches(engine(provider), WRITTEN, wait=True)
    assert sum(len(batch.entries) for batch in batching.batches) == len(WRITTEN)


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"a": {"judge": "openai:m"}}', "[" * 200_000, "\xff"])
def test_a_list_of_open_batches_that_cannot_be_read_stops_the_call(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, content: str
) -> None:
    """Going on would pay again."""
    (tmp_path / FILE_NAME).write_bytes(content.encode("latin-1"))
    with pytest.raises(JudgeError, match="found something else"):
        judge_in_batches(engine(), WRITTEN, wait=True)
    assert not batching.calls


def test_a_judge_without_batches_is_refused(tmp_path: Path) -> None:
    """A local model, before anything is loaded."""
    with pytest.raises(JudgeError, match="batch interface, found hf:some/model"):
        batches.batch_api(JudgeConfig("hf", "some/model", cache_dir=tmp_path))


@pytest.fixture(scope="module")
def processes() -> multiprocessing.context.ForkServerContext:
    """Starts processes that have all imports behind them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["batch_worker", "openai", "anthropic"])
    return context


@pytest.mark.parametrize("provider", PROVIDERS)
def test_two_processes_at_once_pay_once(
    engine: MakeEngine,
    batching: BatchServer,
    tmp_path: Path,
    provider: str,
    processes: multiprocessing.context.ForkServerContext,
) -> None:
    """Whoever collects, both have all verdicts."""
    batching.ends_at, batching.behaviour.latency = 3, 0.01
    started = [processes.Process(target=judge, args=(provider, batching.url, tmp_path)) for _ in range(2)]
    for each in started:
        each.start()
    for each in started:
        each.join(60)
    assert [each.exitcode for each in started] == [0, 0]
    assert judged_once(batching, engine(provider, model="m"))


def _killed_and_continued(
    processes: multiprocessing.context.ForkServerContext, provider: str, tmp_path: Path, seconds: float
) -> None:
    with BatchServer() as server:
        server.ends_at, server.behaviour.latency = 3, 0.02
        process = processes.Process(target=judge, args=(provider, server.url, tmp_path))
        process.start()
        time.sleep(seconds)
        process.kill()
        process.join(10)
        assert judge(provider, server.url, tmp_path)
        done = Engine(JudgeConfig(provider, "m", server.url, cache_dir=tmp_path))
        assert judged_once(server, done)
        done.close()


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("moments", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_costs_nothing(
    tmp_path: Path, provider: str, moments: int, processes: multiprocessing.context.ForkServerContext
) -> None:
    """From the start of the process to the end of the last download; nothing is paid twice and nothing lost."""
    for place in range(moments):
        _killed_and_continued(processes, provider, tmp_path / str(place), random.uniform(0.02, 0.4))
