"""The engine against a real server that fails in every way."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest

MakeEngine = Callable[..., Engine]


def _requests(count: int) -> list[JudgeRequest]:
    return [JudgeRequest(f"Ground-truth answer: {i}\nCandidate answer: {i % 2 * i}") for i in range(count)]


def test_verdicts_come_in_the_order_of_the_requests(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Each request gets the verdict on its own text, as the server gave it."""
    verdicts = engine_of().map(_requests(50), progress=False)
    assert [verdict.text for verdict in verdicts] == ["Yes" if i % 2 or i == 0 else "No" for i in range(50)]
    assert verdicts[1].top_logprobs[0][0] == "Yes"
    assert [logprob for _, logprob in verdicts[1].top_logprobs] == sorted(
        (logprob for _, logprob in verdicts[1].top_logprobs), reverse=True
    )
    assert len(server.requests) == 50


@pytest.mark.parametrize("fault", ["429", "408", "409", "500", "503", "reset", "timeout", "truncated", "no_logprobs"])
def test_passing_faults_are_survived(server: OpenAIServer, engine_of: MakeEngine, fault: str) -> None:
    """After any fault that may pass, the request is made again and judged."""
    server.behaviour.script = [fault, fault]
    verdict = engine_of().map(_requests(1), progress=False)[0]
    assert verdict.ok
    assert server.counts == {fault: 2, "ok": 1}


def test_not_json_is_survived(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A gateway's HTML page with status 200 is no answer."""
    server.behaviour.script = ["not_json"]
    assert engine_of().map(_requests(1), progress=False)[0].ok


@pytest.mark.parametrize("fault", ["400", "401", "403", "404"])
def test_lasting_faults_fail_at_once(server: OpenAIServer, engine_of: MakeEngine, fault: str) -> None:
    """Other client errors are asked once; the reason holds the status and the server's message."""
    server.behaviour.sticky = fault
    verdict = engine_of().map(_requests(1), progress=False)[0]
    assert verdict.status == "judge_failed"
    assert verdict.reason is not None
    assert verdict.reason.startswith(f"HTTP {fault}: fault {fault}")
    assert server.counts == {fault: 1}


def test_thirty_percent_faults_lose_nothing(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """With 30% of all kinds of faults every request is judged, and none is judged wrongly."""
    kinds = ("429", "500", "reset", "timeout", "truncated", "no_logprobs")
    server.behaviour.faults = dict.fromkeys(kinds, 0.05)
    engine = engine_of(timeout=0.2)
    verdicts = engine.map(_requests(300), progress=False)
    assert [verdict.text for verdict in verdicts] == ["Yes" if i % 2 or i == 0 else "No" for i in range(300)]
    assert engine.summary().failed == 0
    assert all(server.counts[kind] for kind in kinds)


def test_attempts_are_bounded(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A server that only fails is asked as often as the policy says; the reason says how often."""
    server.behaviour.sticky = "500"
    verdict = engine_of(retry=RetryPolicy(max_attempts=4, base=0.01)).map(_requests(1), progress=False)[0]
    assert verdict.reason == "HTTP 500: fault 500 (gave up after 4 tries)"
    assert server.counts == {"500": 4}


def test_a_dead_server_is_given_up_for_all(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """When nothing was answered for the time bound, what is open fails with the reason, soon and without asking."""
    server.behaviour.sticky = "timeout"
    engine = engine_of(timeout=0.2, concurrency=4, retry=RetryPolicy(max_attempts=100, max_seconds=0.6, base=0.01))
    start = time.monotonic()
    verdicts = engine.map(_requests(200), progress=False)
    assert time.monotonic() - start < 5
    assert not any(verdict.ok for verdict in verdicts)
    assert all("no answer within 0.2 s" in (verdict.reason or "") for verdict in verdicts)
    assert len(server.requests) < 40


def test_a_failure_is_asked_again_and_never_stored(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The same request after a failure is a new request."""
    server.behaviour.script = ["404"]
    engine = engine_of()
    assert not engine.map(_requests(1), progress=False)[0].ok
    verdict = engine.map(_requests(1), progress=False)[0]
    assert verdict.ok
    assert not verdict.cached


def test_no_slot_is_held_while_a_retry_waits(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """With two slots, other requests are judged while the first two wait, one of them as long as the server asked."""
    server.behaviour.retry_after = "30"
    server.behaviour.script = ["500", "429"]
    engine = engine_of(concurrency=2, retry=RetryPolicy(base=30.0))
    pendings = [engine.submit(request) for request in _requests(20)]
    for pending in pendings[2:]:
        pending.result(10)
    assert not pendings[0].done()
    assert not pendings[1].done()


def test_a_rate_limit_is_waited_out_without_hammering(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """When everything is refused with 429, all wait as asked; the refusals cost no attempts and nothing is lost."""
    server.behaviour.sticky = "429"
    server.behaviour.retry_after = "0.3"
    engine = engine_of(concurrency=4, retry=RetryPolicy(max_attempts=2, max_seconds=20, base=0.05))
    pendings = [engine.submit(request) for request in _requests(50)]
    time.sleep(1.2)
    assert server.counts["429"] <= 4 * 8
    server.behaviour.sticky = None
    assert all(pending.result(20).ok for pending in pendings)


def test_concurrency_is_used_and_bounded(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """As many requests are in work as allowed, never more."""
    server.behaviour.latency = 0.05
    engine_of(concurrency=7, timeout=10).map(_requests(60), progress=False)
    assert server.most_active == 7


def test_the_servers_own_slot_limit_is_survived(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A server that refuses beyond five requests at a time gets all of them in the end."""
    server.behaviour.latency = 0.02
    server.behaviour.slots = 5
    assert all(verdict.ok for verdict in engine_of(concurrency=16, timeout=10).map(_requests(100), progress=False))


def test_identical_requests_are_asked_once(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Requests that are equal share one verdict, also with the cache off and from several threads."""
    server.behaviour.latency = 0.1
    engine = engine_of(cache=False, timeout=10)
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([v.text for v in engine.map(_requests(5) * 3, progress=False)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert len(server.requests) == 5


def test_a_warm_cache_makes_no_request(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A second engine finds all verdicts and gives the same ones, marked as cached."""
    first = engine_of().map(_requests(30), progress=False)
    engine = engine_of()
    second = engine.map(_requests(30), progress=False)
    assert [(v.text, v.top_logprobs, v.model) for v in first] == [(v.text, v.top_logprobs, v.model) for v in second]
    assert all(verdict.cached for verdict in second)
    assert len(server.requests) == 30
    assert (engine.summary().judged, engine.summary().cached) == (0, 30)


def test_other_judges_and_sampling_are_other_verdicts(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Model, prompt, number of log-probabilities and system text all make a request of its own."""
    engine = engine_of()
    engine.map([JudgeRequest("a"), JudgeRequest("b"), JudgeRequest("a", top_logprobs=4)], progress=False)
    engine.map([JudgeRequest("a", system="s"), JudgeRequest("a", kind="text", max_tokens=8)], progress=False)
    engine_of(model="other").map([JudgeRequest("a")], progress=False)
    assert len(server.requests) == 6


def test_the_estimate_asks_nothing(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Calls, cached verdicts and tokens are told beforehand; equal requests count once."""
    engine = engine_of()
    engine.map(_requests(10), progress=False)
    estimate = engine.estimate(_requests(25) * 2)
    assert (estimate.calls, estimate.cached, estimate.completion_tokens) == (15, 10, 15)
    assert estimate.prompt_tokens > 15
    assert estimate.cost is None
    assert len(server.requests) == 10


def test_the_summary_is_one_line(
    server: OpenAIServer, engine_of: MakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line has what was judged, cached and failed, the time and the tokens."""
    server.behaviour.script = ["404"]
    engine = engine_of()
    engine.wait([engine.submit(request) for request in _requests(3)], progress=False, report=True)
    assert "2 judged, 0 from the cache, 1 failed" in capsys.readouterr().err
    assert engine.summary().models == ("gpt-4o",)
    assert "\n" not in engine.summary().line()


def test_closing_leaves_nobody_waiting(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Verdicts still awaited when the engine closes fail with that reason, and a later request works again."""
    server.behaviour.latency = 5
    engine = engine_of(timeout=30, concurrency=2)
    pendings = [engine.submit(request) for request in _requests(5)]
    time.sleep(0.2)
    engine.close()
    assert {pending.result(1).reason for pending in pendings} == {
        "the judge engine was closed before the judge answered"
    }
    server.behaviour.latency = 0
    assert engine.map(_requests(1), progress=False)[0].ok


def test_a_pending_verdict_can_be_waited_for_in_time(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A wait with a timeout ends with TimeoutError and the verdict still comes."""
    server.behaviour.latency = 0.3
    pending = engine_of(timeout=10).submit(_requests(1)[0])
    with pytest.raises(TimeoutError):
        pending.result(0.05)
    assert pending.result(10).ok


def test_an_unwritable_cache_only_warns(server: OpenAIServer, engine_of: MakeEngine, tmp_path: Path) -> None:
    """Where the cache cannot be written, judging works and one warning says what to set."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    engine = engine_of(cache_dir=blocker / "below")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert all(verdict.ok for verdict in engine.map(_requests(5), progress=False))
    assert [str(w.message) for w in caught if "SPIQA_TASKS_CACHE" in str(w.message)]
    assert len(server.requests) == 5


def test_one_engine_per_judge_and_process(config: JudgeConfig) -> None:
    """Equal configs share an engine; nothing starts before the first request."""
    before = threading.active_count()
    assert shared_engine(config) is shared_engine(JudgeConfig(**vars(config)))
    assert threading.active_count() == before


def test_a_defect_in_a_provider_is_a_reason_not_a_hang(config: JudgeConfig) -> None:
    """An unexpected exception fails the request it came from and is named in the reason."""

    class Broken:
        fingerprint = ""

        async def ask(self, _request: JudgeRequest) -> None:
            raise ZeroDivisionError("oops")

        async def aclose(self) -> None:
            pass

    engine = Engine(config, lambda _config: Broken())  # type: ignore[arg-type, return-value]
    assert engine.map(_requests(1), progress=False)[0].reason == "unexpected ZeroDivisionError: oops"
    engine.close()


def test_a_server_that_starts_late_is_waited_for(engine_of: MakeEngine) -> None:
    """Refused connections are retried until the server listens."""
    with OpenAIServer(Behaviour()) as gone:
        url = gone.url
    engine = engine_of(base_url=url, retry=RetryPolicy(max_attempts=200, base=0.05, cap=0.1))
    pending = engine.submit(_requests(1)[0])
    time.sleep(0.3)
    assert not pending.done()
    with OpenAIServer(Behaviour(), port=int(url.split(":")[2].split("/")[0])):
        assert pending.result(10).ok
