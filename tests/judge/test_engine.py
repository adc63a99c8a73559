"""The engine against a real server that fails in every way."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.types import JudgeRequest

MakeEngine = Callable[..., Engine]


def _requests(count: int) -> list[JudgeRequest]:
    return [JudgeRequest(f"Ground-truth answer: {i}\nCandidate answer: {i % 2 * i}") for i in range(count)]


def test_verdicts_come_in_the_order_of_the_requests(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Each request gets the verdict on its own text, as the server gave it."""
    verdicts = engine_of().map(_requests(50))
    assert [verdict.text for verdict in verdicts] == ["Yes" if i % 2 or i == 0 else "No" for i in range(50)]
    assert verdicts[1].top_logprobs[0][0] == "Yes"
    assert [logprob for _, logprob in verdicts[1].top_logprobs] == sorted(
        (logprob for _, logprob in verdicts[1].top_logprobs), reverse=True
    )
    assert len(server.requests) == 50


def test_a_failure_is_asked_again_and_never_stored(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The same request after a failure is a new request."""
    server.behaviour.script = ["404"]
    engine = engine_of()
    assert not engine.map(_requests(1))[0].ok
    verdict = engine.map(_requests(1))[0]
    assert verdict.ok
    assert not verdict.cached


def test_identical_requests_are_asked_once(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Requests that are equal share one verdict, also with the cache off and from several threads."""
    server.behaviour.latency = 0.1
    engine = engine_of(cache=False, timeout=10)
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([v.text for v in engine.map(_requests(5) * 3)])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert len(server.requests) == 5


def test_a_warm_cache_makes_no_request(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A second engine finds all verdicts and gives the same ones, marked as cached."""
    first = engine_of().map(_requests(30))
    engine = engine_of()
    second = engine.map(_requests(30))
    assert [(v.text, v.top_logprobs, v.model) for v in first] == [(v.text, v.top_logprobs, v.model) for v in second]
    assert all(verdict.cached for verdict in second)
    assert len(server.requests) == 30
    assert (engine.summary().judged, engine.summary().cached) == (0, 30)


def test_other_judges_and_sampling_are_other_verdicts(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Model, prompt, number of log-probabilities and system text all make a request of its own."""
    engine = engine_of()
    engine.map([JudgeRequest("a"), JudgeRequest("b"), JudgeRequest("a", top_logprobs=4)])
    engine.map([JudgeRequest("a", system="s"), JudgeRequest("a", top_logprobs=None, max_tokens=8)])
    engine_of(model="other").map([JudgeRequest("a")])
    assert len(server.requests) == 6


def test_the_estimate_asks_nothing(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Calls, cached verdicts and tokens are told beforehand; equal requests count once."""
    engine = engine_of()
    engine.map(_requests(10))
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
    engine.wait(engine.submit_all(_requests(3)), report=True)
    assert "2 judged, 0 from the cache, 1 failed" in capsys.readouterr().err
    assert engine.summary().models == ("gpt-4o",)
    assert "\n" not in engine.summary().line()


def test_closing_leaves_nobody_waiting(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Verdicts still awaited when the engine closes fail with that reason, and a later request works again."""
    server.behaviour.latency = 5
    engine = engine_of(timeout=30, concurrency=2)
    pendings = engine.submit_all(_requests(5))
    time.sleep(0.2)
    engine.close()
    assert {pending.result(1).reason for pending in pendings} == {
        "the judge engine was closed before the judge answered"
    }
    server.behaviour.latency = 0
    assert engine.map(_requests(1))[0].ok


def test_a_pending_verdict_can_be_waited_for_in_time(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """A wait with a timeout ends with TimeoutError and the verdict still comes."""
    server.behaviour.latency = 0.3
    pending = engine_of(timeout=10).submit_all(_requests(1))[0]
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
        assert all(verdict.ok for verdict in engine.map(_requests(5)))
    assert [str(w.message) for w in caught if "SPIQA_TASKS_CACHE" in str(w.message)]
    assert len(server.requests) == 5


def test_one_engine_per_judge_and_process(config: JudgeConfig) -> None:
    """Equal configs share an engine; nothing starts before the first request."""
    before = threading.active_count()
    assert shared_engine(config) is shared_engine(JudgeConfig(**vars(config)))
    assert threading.active_count() == before
