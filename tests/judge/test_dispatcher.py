"""How requests are worked off: what is tried again, what is given up, and how a server that refuses is spared."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from openai_server import Behaviour, OpenAIServer
from virtual_clock import run_virtually

from spiqa_tasks.judge import cache as cache_module
from spiqa_tasks.judge import dispatcher
from spiqa_tasks.judge.cache import Claim, Owner, VerdictCache
from spiqa_tasks.judge.cache_entry import request_key
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.dispatcher import Dispatcher, Job
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.pace import Outcome, Pace
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.retry import AskError, HttpError, RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict

MakeEngine = Callable[..., Engine]


def _requests(count: int) -> list[JudgeRequest]:
    return [JudgeRequest(f"Ground-truth answer: {i}\nCandidate answer: {i % 2 * i}") for i in range(count)]


@pytest.mark.parametrize("fault", ["429", "408", "409", "500", "503", "reset", "timeout", "truncated"])
def test_passing_faults_are_survived(server: OpenAIServer, engine_of: MakeEngine, fault: str) -> None:
    """After any fault that may pass, the request is made again and judged."""
    server.behaviour.script = [fault, fault]
    verdict = engine_of().map(_requests(1))[0]
    assert verdict.ok
    assert server.counts == {fault: 2, "ok": 1}


def test_not_json_is_survived(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A gateway's HTML page with status 200 is no answer."""
    server.behaviour.script = ["not_json"]
    assert engine_of().map(_requests(1))[0].ok


@pytest.mark.parametrize("fault", ["400", "401", "403", "404"])
def test_lasting_faults_fail_at_once(server: OpenAIServer, engine_of: MakeEngine, fault: str) -> None:
    """Other client errors are asked once; the reason holds the status and the server's message."""
    server.behaviour.sticky = fault
    verdict = engine_of().map(_requests(1))[0]
    assert verdict.status == "judge_failed"
    assert verdict.reason is not None
    assert verdict.reason.startswith(f"HTTP {fault}: fault {fault}")
    assert server.counts == {fault: 1}


def test_an_answer_without_log_probabilities_is_asked_for_once(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """It is final for that answer; others are judged."""
    server.behaviour.script = ["no_logprobs"]
    first, *others = engine_of(concurrency=1).map(_requests(3))
    assert first.reason == "the server's answer has no token log-probabilities"
    assert all(verdict.ok for verdict in others)
    assert len(server.requests) == 3


def test_thirty_percent_faults_lose_nothing(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """With 30% of all kinds of faults every request is judged, and none is judged wrongly."""
    kinds = ("429", "500", "reset", "timeout", "truncated")
    server.behaviour.faults = dict.fromkeys(kinds, 0.06)
    engine = engine_of(timeout=0.2)
    verdicts = engine.map(_requests(150))
    assert [verdict.text for verdict in verdicts] == ["Yes" if i % 2 or i == 0 else "No" for i in range(150)]
    assert engine.summary().failed == 0
    assert all(server.counts[kind] for kind in kinds)


def test_attempts_are_bounded(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Without patience a server that only fails is asked as often as the policy says; the reason says how often."""
    server.behaviour.sticky = "500"
    verdict = engine_of(retry=RetryPolicy(max_attempts=4, base=0.01, patient=False)).map(_requests(1))[0]
    assert verdict.reason == "HTTP 500: fault 500 (gave up after 4 tries)"
    assert server.counts == {"500": 4}


def test_a_dead_server_is_given_up_for_all(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """When nothing was answered for the time bound, what is open fails with the reason, soon and without asking."""
    server.behaviour.sticky = "timeout"
    engine = engine_of(timeout=0.2, concurrency=4, retry=RetryPolicy(max_attempts=100, patience=0.6, base=0.01))
    start = time.monotonic()
    verdicts = engine.map(_requests(200))
    assert time.monotonic() - start < 5
    assert not any(verdict.ok for verdict in verdicts)
    assert all("no answer within 0.2 s" in (verdict.reason or "") for verdict in verdicts)
    assert len(server.requests) < 40


def test_no_slot_is_held_while_a_retry_waits(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """With two slots, all others are judged while two requests wait, one of them as long as the server asked."""
    server.behaviour.retry_after = "30"
    server.behaviour.script = ["500", "429"]
    engine = engine_of(concurrency=2, timeout=10, retry=RetryPolicy(base=30.0))
    pendings = engine.submit_all(_requests(20))
    deadline = time.monotonic() + 10
    while sum(pending.done() for pending in pendings) < 18 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sum(pending.done() for pending in pendings) == 18


def test_a_rate_limit_is_waited_out_without_hammering(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """When everything is refused with 429, all wait as asked; the refusals cost no attempts and nothing is lost."""
    server.behaviour.sticky = "429"
    server.behaviour.retry_after = "0.3"
    engine = engine_of(concurrency=4, retry=RetryPolicy(max_attempts=2, patience=20, base=0.05))
    pendings = engine.submit_all(_requests(50))
    time.sleep(1.2)
    assert server.counts["429"] <= 4 + (8 + 3) + 4  # the first four, eight in a row with three on their way, one by one
    server.behaviour.sticky = None
    assert all(pending.result(20).ok for pending in pendings)


def test_concurrency_is_used_and_bounded(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """As many requests are in work as allowed, never more."""
    server.behaviour.latency = 0.05
    engine_of(concurrency=7, timeout=10).map(_requests(60))
    assert server.most_active == 7


def test_the_servers_own_slot_limit_is_survived(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A server that refuses beyond five requests at a time gets all of them in the end."""
    server.behaviour.latency = 0.02
    server.behaviour.slots = 5
    assert all(verdict.ok for verdict in engine_of(concurrency=16, timeout=10).map(_requests(100)))


def test_a_defect_in_a_provider_is_a_reason_not_a_hang(config: JudgeConfig) -> None:
    """An unexpected exception fails the request it came from and is named in the reason."""

    class Broken:
        fingerprint = ""

        async def ask(self, _request: JudgeRequest) -> None:
            raise ZeroDivisionError("oops")

        async def aclose(self) -> None:
            pass

    engine = Engine(config, lambda _config: Broken())  # type: ignore[arg-type, return-value]
    assert engine.map(_requests(1))[0].reason == "unexpected ZeroDivisionError: oops"
    engine.close()


def test_a_server_that_starts_late_is_waited_for(engine_of: MakeEngine) -> None:
    """Refused connections are retried until the server listens."""
    with OpenAIServer(Behaviour()) as gone:
        url = gone.url
    engine = engine_of(url=url, retry=RetryPolicy(max_attempts=200, base=0.05, cap=0.1))
    pending = engine.submit_all(_requests(1))[0]
    time.sleep(0.3)
    assert not pending.done()
    with OpenAIServer(Behaviour(), port=int(url.split(":")[2].split("/")[0])):
        assert pending.result(10).ok


def test_a_request_too_large_for_the_rate_limit_is_final(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Waiting does not make it fit: asked once, with the remedy; the others are judged."""
    server.behaviour.script = ["too_large"]
    verdicts = engine_of(concurrency=1).map(_requests(3))
    assert [verdict.ok for verdict in verdicts] == [False, True, True]
    assert "the prompt is too long for this server" in (verdicts[0].reason or "")
    assert server.counts["too_large"] == 1


def test_one_request_that_is_always_refused_is_given_up(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A 429 that never ends costs a request the patience, and no more."""
    server.behaviour.sticky = "429"
    policy = RetryPolicy(max_attempts=3, base=0.01, cap=0.02, patience=0.5)
    start = time.monotonic()
    assert not engine_of(retry=policy).submit_all(_requests(1))[0].result(20).ok
    assert 0.5 < time.monotonic() - start < 5


def test_a_day_of_patience_stops_the_asking(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """`Retry-After: 86400` is said, and the rest is not sent."""
    server.behaviour.sticky = "429"
    server.behaviour.retry_after = "86400"
    engine = engine_of(concurrency=4)
    start = time.monotonic()
    verdicts = engine.map(_requests(200))
    assert time.monotonic() - start < 5
    assert all("asks for 86,400 s of patience" in (verdict.reason or "") for verdict in verdicts)
    assert server.counts["429"] <= 4


@pytest.mark.slow
def test_a_bucket_is_used_up_without_losing_an_answer(engine_of: MakeEngine) -> None:
    """Against 100 requests a second the engine answers at nearly that rate, and refusals stay few."""
    with OpenAIServer(Behaviour(bucket=(100, 20), latency=0.02, retry_after=None)) as limited:
        engine = engine_of(url=limited.url, timeout=10)
        start = time.monotonic()
        verdicts = engine.map(_requests(600))
        seconds = time.monotonic() - start
        assert all(verdict.ok for verdict in verdicts)
        assert seconds < (600 - 20) / 100 / 0.85
        assert limited.counts["429"] < 300


def test_a_line_says_for_whom_a_run_waits(
    engine_of: MakeEngine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Waiting for another process's verdicts is told, and ends when that process is silent."""
    monkeypatch.setattr(cache_module, "SILENT_SECONDS", 1.0)
    monkeypatch.setattr(dispatcher, "_CLAIM_POLL_SECONDS", 0.1)
    monkeypatch.setattr(dispatcher, "_LONG_WAIT_SECONDS", 0.3)
    engine = engine_of()
    config = engine.config
    assert config.cache_dir is not None
    VerdictCache(config.cache_dir / "judge.sqlite").close()
    key = request_key(config, "", _requests(1)[0])
    with sqlite3.connect(config.cache_dir / "judge.sqlite") as db:
        db.execute("INSERT INTO claims VALUES (?, 'another-machine', 7, 0)", (key,))
    db.close()
    assert engine.submit_all(_requests(1))[0].result(20).ok
    assert "waiting for verdicts that process 7 on another-machine" in caplog.text


LOCAL = JudgeConfig("openai", "m", "http://judge", concurrency=4, retry=RetryPolicy(max_attempts=4, patience=50))
DOWN = HttpError(503, "down")
BUSY = HttpError(429, "busy")
LATENCY = 0.1


@dataclass
class Client:
    """Answers after a tenth of a second, or fails as `fault` says by the prompt and how often it was asked before."""

    fault: Callable[[str, int], Exception | None] = lambda _prompt, _before: None
    asked: list[tuple[str, float]] = field(default_factory=list)
    done: dict[str, float] = field(default_factory=dict)
    most: int = 0
    active: int = 0
    fingerprint: str = ""

    async def ask(self, request: JudgeRequest) -> Verdict:
        before = len(self.times(request.prompt))
        self.asked.append((request.prompt, asyncio.get_running_loop().time()))
        self.active += 1
        self.most = max(self.most, self.active)
        await asyncio.sleep(LATENCY)
        self.active -= 1
        error = self.fault(request.prompt, before)
        if error is not None:
            raise error
        return Verdict("ok", "Yes")

    async def aclose(self) -> None:
        """Nothing is open."""

    def times(self, prompt: str) -> list[float]:
        """When a prompt was asked."""
        return [at for name, at in self.asked if name == prompt]


def worked_off(client: Client, *batches: list[str], config: JudgeConfig = LOCAL) -> dict[str, Verdict]:
    """Prompt -> its verdict, of lists of prompts that are added one after the other, on a clock that jumps."""

    async def run() -> dict[str, Verdict]:
        dispatcher, found = Dispatcher(config, client, None), dict[str, Verdict]()
        for prompts in batches:
            done, most = asyncio.Event(), len(found) + len(prompts)

            def deliver(prompt: str, verdict: Verdict, done: asyncio.Event = done, most: int = most) -> None:
                found[prompt] = verdict
                client.done[prompt] = asyncio.get_running_loop().time()
                if len(found) == most:
                    done.set()

            for prompt in prompts:
                job = Job(
                    JudgeRequest(prompt), "", config.retry, lambda verdict, prompt=prompt: deliver(prompt, verdict)
                )
                dispatcher.add(job)
            await done.wait()
        await dispatcher.close()
        return found

    return run_virtually(run())[0]


def only(name: str, error: Exception, times: int = 10**9) -> Callable[[str, int], Exception | None]:
    """The error, for the first so many times that one prompt is asked."""
    return lambda prompt, before: error if prompt == name and before < times else None


def many(count: int) -> list[str]:
    return [str(place) for place in range(count)]


def test_one_request_that_fails_is_tried_as_often_as_the_policy_says() -> None:
    """Each try counts where others were answered since; a judge that is there is no reason to wait for it."""
    client = Client(only("0", DOWN))
    verdicts = worked_off(client, many(1000))
    assert verdicts["0"].reason == "HTTP 503: down (gave up after 4 tries)"
    assert all(verdict.ok for prompt, verdict in verdicts.items() if prompt != "0")
    assert len(client.asked) == 999 + 4
    assert client.most == 4


def test_tries_that_nobody_was_answered_between_do_not_count() -> None:
    """Until there were three that do: then every one does."""
    client = Client(only("0", DOWN, 6))
    assert worked_off(client, ["0"])["0"].ok
    assert len(client.asked) == 7
    client = Client(only("0", DOWN))
    assert worked_off(client, many(40))["0"].reason == "HTTP 503: down (gave up after 4 tries)"


def test_a_request_that_is_refused_is_given_up_after_the_patience_since_it_was_first_asked() -> None:
    """Though others are answered all the time; refusals before that cost no try."""
    client = Client(only("0", BUSY))
    reason = worked_off(client, many(4000))["0"].reason
    assert reason == f"HTTP 429: busy (gave up after {len(client.times('0'))} tries)"
    first, *_, last = client.times("0")
    assert 50 < last + LATENCY - first < 60  # when the last refusal came back


def test_without_patience_every_try_counts() -> None:
    """Also a refusal."""
    policy = replace(LOCAL.retry, patient=False)
    for error in (DOWN, BUSY):
        client = Client(only("0", error))
        reason = worked_off(client, ["0"], config=replace(LOCAL, retry=policy))["0"].reason
        assert reason == f"{error.reason} (gave up after 4 tries)"
        assert len(client.asked) == 4


def test_a_judge_that_answers_nothing_is_given_up_and_asked_again_by_the_next() -> None:
    """After the patience, in which nobody is answered; what comes when nothing is open begins anew."""
    client = Client(lambda prompt, _: AskError("refused", retryable=True) if prompt != "later" else None)
    verdicts = worked_off(client, many(9), ["later"])
    reasons = {verdict.reason for prompt, verdict in verdicts.items() if prompt != "later"}
    assert reasons == {"refused (the judge has answered nothing for 50 s)"}
    assert [client.done[prompt] for prompt in many(9)] == pytest.approx([50] * 9, abs=0.5)
    assert verdicts["later"].ok


def test_a_wait_that_is_longer_than_the_patience_stops_everything() -> None:
    """What is open and what comes within it fails with the seconds that are left, and is not asked."""
    client = Client(only("0", HttpError(429, "busy", retry_after=51.2)))
    verdicts = worked_off(client, ["0"], many(9)[1:])
    reason = "HTTP 429: busy; the server asks for 51 s of patience: score again after that"
    assert {verdict.reason for verdict in verdicts.values()} == {reason}
    assert len(client.asked) == 1


def test_a_wait_that_the_server_names_is_kept() -> None:
    """Not a second less, and little more; without one a refused request waits a second at most."""
    client = Client(only("0", HttpError(503, "down", retry_after=20.0), 1))
    assert worked_off(client, many(8))["0"].ok
    first, second = client.times("0")
    assert 20.1 <= second - first < 24
    client = Client(only("0", BUSY, 9))
    assert worked_off(client, many(400))["0"].ok
    times = client.times("0")
    assert all(second - first <= 1.5 for first, second in itertools.pairwise(times))


def test_what_was_tried_before_comes_first() -> None:
    """A request that failed is asked again before those that were never asked."""
    client = Client(only("0", HttpError(500, "oops"), 1))
    verdicts = worked_off(client, many(50), config=replace(LOCAL, concurrency=1))
    assert all(verdict.ok for verdict in verdicts.values())
    assert [prompt for prompt, _ in client.asked].index("0", 1) < 8


def test_every_failed_try_is_logged_without_the_key(caplog: pytest.LogCaptureFixture) -> None:
    """With the judge's name and its number."""
    caplog.set_level(logging.INFO, "spiqa_tasks")
    client = Client(only("0", HttpError(500, "no sk-secret-0123456789 here"), 2))
    worked_off(client, ["0"], config=replace(LOCAL, api_key="sk-secret-0123456789"))
    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(" of ")[0] for line in lines] == ["judge openai:m: try 1", "judge openai:m: try 2"]
    assert all(" of a request failed: HTTP 500: no " in line and "sk-secret" not in line for line in lines)


def test_a_defect_is_logged_and_told_without_the_key(caplog: pytest.LogCaptureFixture) -> None:
    """In the reason of its request alone; others are judged."""
    client = Client(only("0", ZeroDivisionError("sk-secret-0123456789")))
    verdicts = worked_off(client, many(5), config=replace(LOCAL, api_key="sk-secret-0123456789"))
    reason = str(verdicts["0"].reason)
    assert reason.startswith("unexpected ZeroDivisionError: ")
    assert "sk-secret" not in reason + caplog.text
    assert f"The judge engine failed on a request: {reason}" in caplog.text
    assert [verdict.ok for verdict in verdicts.values()].count(True) == 4


def test_what_cannot_be_asked_is_not() -> None:
    """A judge without its key, or a model without log-probabilities, is told in the verdict."""
    client, official = Client(), PROVIDERS["openai"].url
    without_key = worked_off(client, ["0"], config=replace(LOCAL, url=official))["0"].reason
    assert "SPIQA_JUDGE_API_KEY" in str(without_key)
    config = replace(LOCAL, url=official, api_key="sk-secret-0123456789", model="o3")
    without_logprobs = worked_off(client, ["0"], config=config)["0"].reason
    assert "log-probabilities" in str(without_logprobs)
    assert not client.asked


def test_closing_fails_what_is_open_and_a_delivery_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """Each request has a verdict, whatever becomes of another's."""
    found: list[Verdict] = []

    def deliver(verdict: Verdict) -> None:
        found.append(verdict)
        if len(found) == 1:
            raise ValueError("nobody there")

    async def run() -> None:
        dispatcher = Dispatcher(LOCAL, Client(only("1", DOWN)), None)
        for prompt in ("0", "1", "2"):
            dispatcher.add(Job(JudgeRequest(prompt), "", LOCAL.retry, deliver))
        await asyncio.sleep(0.15)
        await dispatcher.close()

    run_virtually(run())
    reasons = [verdict.reason for verdict in found]
    assert reasons == [None, None, "the judge engine was closed before the judge answered"]
    assert "failed to deliver a verdict" in caplog.text


class Cache:
    """Answers claims in turns, the last one for ever; a fault is raised in their place."""

    def __init__(self, *claims: Claim | Exception, fault: Exception | None = None) -> None:
        self.claims, self.fault = list(claims), fault
        self.stored: list[tuple[str, Verdict]] = []

    def claim_many(self, keys: Sequence[str]) -> list[Claim]:
        claim = self.claims.pop(0) if len(self.claims) > 1 else self.claims[0]
        if isinstance(claim, Exception):
            raise claim
        return [claim for _ in keys]

    def put_many(self, rows: Sequence[tuple[str, Verdict]]) -> bool:
        if self.fault is not None:
            raise self.fault
        self.stored += rows
        return True

    def close(self) -> None:
        """Nothing is open."""


def judged_with(cache: Cache, client: Client, keys: Sequence[str]) -> list[Verdict]:
    """The verdicts on requests with these keys in a cache; on a real clock, as its threads are real."""

    async def run() -> list[Verdict]:
        dispatcher, found = Dispatcher(LOCAL, client, cache), list[Verdict]()  # type: ignore[arg-type]
        for key in keys:
            dispatcher.add(Job(JudgeRequest(f"of {key}"), key, LOCAL.retry, found.append))
        while len(found) < len(keys):
            await asyncio.sleep(0.01)
        await dispatcher.close()
        return found

    return asyncio.run(run())


def test_a_claimed_verdict_is_stored_under_its_key() -> None:
    """One without a key is asked and not stored."""
    cache, client = Cache("mine"), Client()
    verdicts = judged_with(cache, client, ["a", ""])
    assert [verdict.text for verdict in verdicts] == ["Yes", "Yes"]
    assert cache.stored == [("a", Verdict("ok", "Yes"))]


def test_a_stored_verdict_is_taken() -> None:
    """Nobody is asked, and nothing stored again."""
    cache, client = Cache(Verdict("ok", "No")), Client()
    assert judged_with(cache, client, ["a"]) == [Verdict("ok", "No")]
    assert not client.asked
    assert not cache.stored


def test_a_job_that_another_process_asks_is_looked_for_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Until its verdict is there; a process for whom a run waits is named once, and one that was soon done never."""
    monkeypatch.setattr(dispatcher, "_CLAIM_POLL_SECONDS", 0.01)
    owner = Owner("there", 7)
    client = Client()
    assert judged_with(Cache(owner, owner, Verdict("ok", "No")), client, ["a"]) == [Verdict("ok", "No")]
    assert not client.asked
    assert not caplog.messages
    monkeypatch.setattr(dispatcher, "_LONG_WAIT_SECONDS", 0.03)
    judged_with(Cache(*[owner] * 12, Verdict("ok", "No")), client, ["a", "b"])
    assert caplog.messages == ["Judge openai:m: waiting for verdicts that process 7 on there is asking for."]


@pytest.mark.parametrize(
    "cache",
    [Cache(sqlite3.OperationalError("locked")), Cache("mine", fault=sqlite3.OperationalError("locked"))],
    ids=["claim", "put"],
)
def test_a_cache_that_fails_costs_no_verdict(cache: Cache) -> None:
    """It is let go of with one warning, and the judging goes on."""
    keys = list("abcdefgh")
    with pytest.warns(
        UserWarning, match=r"^Verdicts are no longer kept: the judge's cache failed \(locked\)\.$"
    ) as told:
        verdicts = judged_with(cache, Client(), keys)
    assert [verdict.ok for verdict in verdicts] == [True] * 8
    assert len(told) == 1
    assert not cache.stored


def test_the_pace_learns_what_became_of_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, faults and refusals, with the wait that the server named; an error that lasts is an answer."""
    told: list[tuple[str, float]] = []

    class Recording(Pace):
        def came_back(self, now: float, ticket: int, outcome: Outcome, delay: float = 0.0) -> None:
            told.append((outcome, delay))
            super().came_back(now, ticket, outcome, delay)

    monkeypatch.setattr(dispatcher, "Pace", Recording)
    faults = [HttpError(429, "busy", retry_after=2.0), BUSY, HttpError(503, "down", retry_after=1.0), DOWN]
    client = Client(lambda prompt, before: faults[before] if prompt == "0" and before < 4 else None)
    worked_off(client, ["0"])
    assert told == [("refused", 2.0), ("refused", 0.0), ("failed", 1.0), ("failed", 0.0), ("answered", 0.0)]
    told.clear()
    worked_off(Client(only("0", HttpError(401, "no"))), ["0"])
    assert told == [("answered", 0.0)]


def test_verdicts_are_stored_and_failures_are_not(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Another engine finds what was judged, and asks again for what was not."""
    server.behaviour.script = ["400"]
    engine_of(concurrency=1).map(_requests(3))
    verdicts = engine_of().map(_requests(3))
    assert [verdict.cached for verdict in verdicts] == [False, True, True]
    assert all(verdict.ok for verdict in verdicts)
    assert len(server.requests) == 4
