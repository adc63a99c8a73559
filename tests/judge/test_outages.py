"""Servers that refuse, fail or set a limit, for minutes of a clock that jumps: when all is
judged, or given up.
"""

import asyncio
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_clock import run_virtually

from spiqa_tasks.judge.asking import JudgeLoop
from spiqa_tasks.judge.patience import _JITTER
from spiqa_tasks.judge.providers.provider import Provider, RequestError, http_error
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, RetryPolicy, Verdict

ANSWERS = 666
PATIENCE = RetryPolicy().patience
SLOTS = 64

Trouble = Callable[[float], RequestError | None]
"""Seconds since the start -> what a request fails with then."""

TROUBLES = {
    "429": lambda wait: http_error(429, "slow down", retry_after=wait),
    "503": lambda wait: http_error(503, "down", retry_after=wait),
    "unreachable": lambda _: RequestError("connection refused", retryable=True),
}
LOST = RequestError("no answer within 60 s", retryable=True, silent=True)


@dataclass
class Server(Provider):
    """A client that answers after `latency` seconds, or fails as `trouble` says."""

    trouble: Trouble
    latency: float
    requests: int = 0

    async def ask(self, _request: JudgeRequest) -> Verdict:
        self.requests += 1
        error = self.trouble(asyncio.get_running_loop().time())
        await asyncio.sleep(60 if error is LOST else self.latency)
        if error is not None:
            raise error
        return Verdict("Yes")


def judged(server: Server, count: int = ANSWERS, **kind: Any) -> tuple[list[Verdict], float]:
    """Return the verdicts on `count` requests, and the seconds until the last one."""

    config = JudgeConfig("openai", "m", "http://judge", concurrency=SLOTS)
    requests = {str(place): JudgeRequest(str(place), **kind) for place in range(count)}

    verdicts: dict[str, Verdict] = {}
    _, took = run_virtually(JudgeLoop(config, server, requests, verdicts.__setitem__).run())
    return [verdicts[key] for key in requests], took


def outage(kind: str, windows: Sequence[tuple[float, float]], wait: float | None = None) -> Trouble:
    """Return a trouble of a kind that lasts in some windows of time."""
    return lambda now: (
        TROUBLES[kind](wait) if any(start <= now < end for start, end in windows) else None
    )


def bucket(rate: float, size: float) -> Trouble:
    """Return a limit of `rate` requests a second and `size` at once."""
    tokens, filled = size, 0.0

    def refuse(now: float) -> RequestError | None:
        nonlocal tokens, filled
        tokens, filled = min(size, tokens + (now - filled) * rate), now
        if tokens < 1:
            return http_error(429, "limit")
        tokens -= 1
        return None

    return refuse


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(sorted(TROUBLES)),
    start=st.just(0.0) | st.floats(0, 5),
    seconds=st.floats(0, 20)
    | st.floats(0, PATIENCE - 40),  # so that everybody is asked again before
    wait=st.none() | st.floats(0, 20),
    latency=st.floats(0.01, 2),
)
def test_after_an_outage_the_answers_are_soon_there(
    kind: str, start: float, seconds: float, wait: float | None, latency: float
) -> None:
    """Within 1.5 times its length, or that which the server names, and 30 s; none is lost.

    Beside the time that the answers take anyway.
    """
    server = Server(outage(kind, [(start, start + seconds)], wait), latency)
    verdicts, took = judged(server)
    assert all(verdict.ok for verdict in verdicts)
    assert took <= start + ANSWERS / SLOTS * latency + 1.5 * max(seconds, wait or 0) + 30
    assert server.requests < ANSWERS + 2 * SLOTS + 100


@settings(deadline=None, max_examples=10)
@given(
    kind=st.sampled_from(sorted(TROUBLES)),
    lengths=st.lists(
        st.tuples(st.floats(0, 5), st.floats(0, 60)), max_size=4
    ),  # together less than the patience
    latency=st.floats(0.01, 1),
)
def test_one_outage_after_another_costs_no_more(
    kind: str, lengths: list[tuple[float, float]], latency: float
) -> None:
    """Of a server that comes and goes everything is judged, soon after it stays."""
    windows, end = [], 0.0
    for well, ill in lengths:
        windows.append((end + well, end + well + ill))
        end += well + ill
    verdicts, took = judged(Server(outage(kind, windows), latency), 3000)
    assert all(verdict.ok for verdict in verdicts)
    assert took <= 1.5 * end + 3000 / SLOTS * latency + 45


def chance(share: float, seed: int) -> Trouble:
    """Return a trouble that refuses a share of the requests, at random."""
    draw = random.Random(seed).random
    return lambda _: http_error(429, "busy") if draw() < share else None


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.3, 0.5])
def test_refusals_that_are_no_matter_of_the_rate_do_not_slow_down(share: float) -> None:
    """A server that refuses some requests whatever their rate is not asked ever more slowly."""
    found = [judged(Server(chance(share, seed), 0.1)) for seed in range(3)]
    assert all(verdict.ok for verdicts, _ in found for verdict in verdicts)
    assert max(took for _, took in found) < 60


@pytest.mark.parametrize("kind", sorted(TROUBLES))
@pytest.mark.parametrize("count", [1, ANSWERS, 20_000])
def test_an_outage_without_end_is_given_up_when_the_patience_is(kind: str, count: int) -> None:
    """After five minutes, however many requests wait, with few of them made; the reason says
    what the server did.
    """
    # of 100 requests alone one has its last try in the same second, which is another reason
    _JITTER.seed(0)
    server = Server(outage(kind, [(0, 1e9)]), 0.05)
    verdicts, took = judged(server, count)
    assert not any(verdict.ok for verdict in verdicts)
    assert took == pytest.approx(PATIENCE, abs=1)
    assert server.requests < 150
    assert all(
        "the judge has answered nothing for 300 s" in str(verdict.reason) for verdict in verdicts
    )


def test_a_judge_that_is_silent_for_long_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """With what it answers and how long it is asked; five seconds are no news."""
    judged(Server(outage("503", [(0, 5), (20, 60), (70, 110)]), 0.5), 20_000)
    said = [line for line in capsys.readouterr().err.splitlines() if "down" in line]
    assert len(said) == 2
    for line in said:
        assert line.startswith("spiqa-tasks: judge openai:m: HTTP 503: down; it is asked for")
        seconds = float(line.split()[-3])
        assert PATIENCE - 15 <= seconds < PATIENCE - 10


def test_of_a_judge_that_is_given_up_nothing_more_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its first failure comes when the patience ends, as before a run."""
    retry = RetryPolicy(patience=60.0)
    config = JudgeConfig("openai", "m", "http://judge", retry=retry)
    server = Server(lambda _: LOST, 0.1)
    verdicts: dict[str, Verdict] = {}
    requests = {"one": JudgeRequest("one")}
    run_virtually(JudgeLoop(config, server, requests, verdicts.__setitem__).run())
    assert not verdicts["one"].ok
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("wait", [PATIENCE + 1, 1e308])
def test_more_patience_than_there_is_ends_it_at_once(wait: float) -> None:
    """Nothing else is asked."""
    server = Server(outage("429", [(0, 1e9)], wait), 0.05)
    verdicts, took = judged(server)
    assert not any(verdict.ok for verdict in verdicts)
    assert took < 1
    assert server.requests <= SLOTS


@pytest.mark.parametrize("seconds", [2, 20])
@pytest.mark.parametrize("start", [0.0, 0.5])
def test_lost_requests_are_asked_again(start: float, seconds: float) -> None:
    """Of a server that was silent for a time: within 1.5 times that and 30 s, at the price of a
    few test questions.
    """
    server = Server(lambda now: LOST if start <= now < start + seconds else None, 0.1)
    verdicts, took = judged(server)
    assert all(verdict.ok for verdict in verdicts)
    assert took <= start + 1.5 * seconds + 30
    assert server.requests <= ANSWERS + SLOTS + 10


def test_a_server_that_refuses_test_questions_is_asked_one_a_second() -> None:
    """While 8 requests hang: from the 20th second, when they may be lost, to the 55th."""

    class Hanging(Server):
        async def ask(self, request: JudgeRequest) -> Verdict:
            if request.prompt.isdecimal():
                self.trouble = lambda now: LOST if now < 30 else None
            else:
                self.trouble = outage("503", [(0, 55)])
            return await super().ask(request)

    server = Hanging(outage("503", []), 0.01)
    verdicts, _ = judged(server, 8)
    assert all(verdict.ok for verdict in verdicts)
    assert server.requests <= 8 + 35 + 8 + 8


@pytest.mark.parametrize(
    ("latency", "kind"), [(55.0, {"top_logprobs": None, "max_tokens": 256}), (45.0, {})]
)
def test_no_slow_answer_is_cut_off(latency: float, kind: dict[str, Any]) -> None:
    """A text may take its time, and so may a server that takes as long for a test question."""
    server = Server(outage("429", []), latency)
    verdicts, took = judged(server, 100, **kind)
    assert all(verdict.ok for verdict in verdicts)
    assert took == pytest.approx(4 * latency)  # 8, 16, 32 and 44 at once
    assert server.requests == 100 if kind else server.requests < 120


@dataclass
class Queue(Server):
    """A server that answers one request after another, as Ollama on a small machine; a closed
    request leaves its queue.
    """

    work: float = 0.0

    def __post_init__(self) -> None:
        self.free = asyncio.Lock()

    async def ask(self, request: JudgeRequest) -> Verdict:
        async def served() -> Verdict:
            async with self.free:
                begun = asyncio.get_running_loop().time()
                try:
                    return await super(Queue, self).ask(request)
                finally:
                    self.work += asyncio.get_running_loop().time() - begun

        try:
            return await asyncio.wait_for(served(), 60)
        except asyncio.TimeoutError:
            raise LOST from None


@pytest.mark.parametrize("latency", [0.5, 2.0, 5.0, 20.0])
@pytest.mark.parametrize(
    "kind", [{"top_logprobs": None, "max_tokens": 256}, {}], ids=["text", "token"]
)
def test_a_server_that_lets_requests_queue_is_asked_no_faster_than_it_answers(
    latency: float, kind: dict[str, Any]
) -> None:
    """Of one place all is judged in little more than its own time, though a queue of 64 is
    longer than the timeout.
    """
    server = Queue(outage("503", []), latency)
    verdicts, took = judged(server, 200, **kind)
    assert all(verdict.ok for verdict in verdicts)
    assert took <= 1.1 * 200 * latency + 60
    assert server.work <= 1.1 * 200 * latency + 60


@pytest.mark.parametrize(
    "kind", [{"top_logprobs": None, "max_tokens": 256}, {}], ids=["text", "token"]
)
def test_a_server_that_queues_no_more_has_all_slots_again(kind: dict[str, Any]) -> None:
    """After five minutes of one place, 2,000 answers of a second come within a minute of what 64
    slots take.
    """

    class Busy(Queue):
        async def ask(self, request: JudgeRequest) -> Verdict:
            if asyncio.get_running_loop().time() < 300:
                return await super().ask(request)
            return await Server.ask(self, request)

    verdicts, took = judged(Busy(outage("503", []), 1.0), 2300, **kind)
    assert all(verdict.ok for verdict in verdicts)
    assert took <= 300 + 2000 / SLOTS + 60


@pytest.mark.parametrize("error", [http_error(500, "oops"), http_error(200, "oops")], ids=str)
@pytest.mark.parametrize("count", [60, 6000])
def test_a_request_that_fails_for_itself_is_given_up_soon(count: int, error: RequestError) -> None:
    """A test question that is answered settles that it is the request: within 20 s of the
    others' end.
    """

    class One(Server):
        async def ask(self, request: JudgeRequest) -> Verdict:
            self.trouble = lambda _: error if request.prompt == "7" else None
            return await super().ask(request)

    verdicts, took = judged(One(outage("503", []), 0.1), count)
    assert [verdict.reason for verdict in verdicts if not verdict.ok] == [
        f"9 tries failed, the last with {error.reason}"
    ]
    assert took < count / SLOTS * 0.1 + 20


@settings(deadline=None, max_examples=5)
@given(rate=st.floats(3, 60), size=st.floats(2, 50), latency=st.floats(0.01, 0.5))
def test_a_steady_limit_is_used_up(rate: float, size: float, latency: float) -> None:
    """Two minutes of work take hardly longer than that, the first seconds of finding out among
    them.
    """
    count = int(120 * rate + size)
    verdicts, took = judged(Server(bucket(rate, size), latency), count)
    assert all(verdict.ok for verdict in verdicts)
    assert max(120, count / SLOTS * latency) / took > 0.95


@dataclass
class Client(Provider):
    """A client that answers after a tenth of a second, or fails as `fault` says by the prompt and
    the number of earlier tries.
    """

    fault: Callable[[str, int], RequestError | None]
    asked: list[tuple[str, float]] = field(default_factory=list)

    async def ask(self, request: JudgeRequest) -> Verdict:
        before = len(self.times(request.prompt))
        self.asked.append((request.prompt, asyncio.get_running_loop().time()))
        await asyncio.sleep(0.1)
        error = self.fault(request.prompt, before)
        if error is not None:
            raise error
        return Verdict("Yes")

    def times(self, prompt: str) -> list[float]:
        """When a prompt was asked."""
        return [at for name, at in self.asked if name == prompt]


LOCAL = JudgeConfig(
    "openai", "m", "http://judge", concurrency=4, retry=RetryPolicy(max_attempts=4, patience=50)
)
DOWN, BUSY = http_error(503, "down"), http_error(429, "busy")


def first_fails(error: RequestError, times: int = 10**9) -> Client:
    """Return a client that fails on the prompt 0, the first `times` tries."""
    return Client(lambda prompt, before: error if prompt == "0" and before < times else None)


def reason_of_first(client: Client, count: int, config: JudgeConfig = LOCAL) -> str | None:
    """Return why the prompt 0 of `count` prompts has no verdict, after a check that the others have
    one.
    """
    requests = {str(place): JudgeRequest(str(place)) for place in range(count)}
    verdicts: dict[str, Verdict] = {}
    run_virtually(JudgeLoop(config, client, requests, verdicts.__setitem__).run())
    assert sorted(verdicts) == sorted(requests)
    assert all(verdict.ok for key, verdict in verdicts.items() if key != "0")
    return verdicts["0"].reason


def test_a_try_counts_behind_an_answered_test_question() -> None:
    """A judge that is there is no reason to wait; one that does not answer it either is at fault
    itself.
    """
    client = first_fails(DOWN)
    assert reason_of_first(client, 1000) == "4 tries failed, the last with HTTP 503: down"
    assert len(client.asked) == 999 + 4 + 1
    down = iter([True] * 9)
    assert (
        reason_of_first(Client(lambda _prompt, _before: DOWN if next(down, False) else None), 1)
        is None
    )


def test_a_refusal_costs_no_try_for_as_long_as_the_patience() -> None:
    """Though others are answered all the time."""
    client = first_fails(BUSY)
    assert (
        reason_of_first(client, 4000)
        == f"{len(client.times('0'))} tries failed, the last with HTTP 429: busy"
    )
    first, *_, last = client.times("0")
    assert 50 < last + 0.1 - first < 60


@pytest.mark.parametrize("error", [DOWN, BUSY], ids=str)
def test_without_patience_every_try_counts(error: RequestError) -> None:
    """As before a run, where a person waits."""
    client = first_fails(error)
    config = replace(LOCAL, retry=replace(LOCAL.retry, patient=False))
    assert reason_of_first(client, 1, config) == f"4 tries failed, the last with {error.reason}"
    assert len(client.asked) == 4


def test_a_wait_that_the_server_names_is_kept_and_holds_no_slot() -> None:
    """Not a second less, and little more; all others are judged meanwhile. Without one it is two
    seconds at most.
    """
    client = first_fails(http_error(503, "down", retry_after=20.0), 1)
    assert reason_of_first(client, 200) is None
    first, second = client.times("0")
    assert 20.1 <= second - first < 24
    assert len([at for name, at in client.asked if name != "0" and at < 20]) == 199
    client = first_fails(BUSY, 9)
    assert reason_of_first(client, 400) is None
    assert all(second - first <= 2.5 for first, second in itertools.pairwise(client.times("0")))


def test_what_was_tried_before_comes_first() -> None:
    """A request that failed is asked again before those that were never asked."""
    client = first_fails(http_error(500, "oops"), 1)
    assert reason_of_first(client, 50, replace(LOCAL, concurrency=1)) is None
    assert [prompt for prompt, _ in client.asked].index("0", 1) < 8


MIXED = {"refused": 0.08, "failed": 0.20, "lost": 0.02}


@pytest.mark.parametrize("seed", range(5))
def test_requests_of_which_three_in_ten_fail_are_judged_within_ten_seconds(seed: int) -> None:
    """Others are answered meanwhile, so that no wait between two tries grows, and no refusal
    slows all down.
    """
    draw = random.Random(seed).random

    class Failing(Server):
        async def ask(self, request: JudgeRequest) -> Verdict:
            position = draw()
            if position < MIXED["lost"]:
                await asyncio.sleep(1.0)
                raise RequestError("no answer within 1 s", retryable=True, silent=True)
            self.trouble = lambda _: None
            if position < MIXED["lost"] + MIXED["refused"]:
                self.trouble = lambda _: http_error(429, "busy", retry_after=0.05)
            elif position < sum(MIXED.values()):
                self.trouble = lambda _: http_error(500, "oops")
            return await super().ask(request)

    verdicts, took = judged(Failing(outage("503", []), 0.1))
    assert all(verdict.ok for verdict in verdicts)
    assert took <= 10
