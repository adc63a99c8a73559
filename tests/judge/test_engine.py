"""The engine against a real server that fails in every way."""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.cache import VerdictCache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.summary import JudgingEstimate
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

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
    """Model, prompt, number and kind of tokens all make a request of its own."""
    engine = engine_of()
    engine.map([JudgeRequest("a"), JudgeRequest("b"), JudgeRequest("a", top_logprobs=4)])
    engine.map([JudgeRequest("a", top_logprobs=None), JudgeRequest("a", top_logprobs=None, max_tokens=8)])
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


def _said(text: str) -> Verdict:
    return Verdict("ok", text, (("Yes", -0.1), ("No", -3.0), ("a", -5.0), ("b", -6.0), ("c", -7.0)), "m")


def test_verdicts_from_elsewhere_are_stored_or_fail_with_their_first_reason(
    server: OpenAIServer, engine_of: MakeEngine
) -> None:
    """Answers for all runs, failures for this one; what is left fails together. Nothing of it is asked."""
    engine, requests = engine_of(), _requests(4)
    keys = list(engine.keyed(requests))
    assert engine.keyed(requests * 2) == dict(zip(keys, requests, strict=True))
    engine.settle({keys[0]: _said("Yes"), keys[1]: failed(f"refused {engine.config.api_key}")})
    engine.settle({keys[1]: failed("later"), keys[2]: failed("late")})
    engine.fail_rest(keys, "no answer")
    assert engine.known(keys) == {keys[0]}
    found = engine.map(requests)
    assert [verdict.reason for verdict in found] == [None, "refused [key]", "late", "no answer"]
    assert (found[0].text, found[0].cached) == ("Yes", True)
    assert (engine.summary().cached, engine.summary().failed, server.requests) == (1, 3, [])
    other = engine_of()
    assert other.known(keys) == {keys[0]}
    assert [verdict.ok for verdict in other.map(requests)] == [True] * 4
    assert len(server.requests) == 3


def test_verdicts_that_cannot_be_stored_are_not_taken(engine_of: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They could be paid again: the sentence has the reason. Failures alone need no cache."""
    engine = engine_of(cache=False)
    (key,) = engine.keyed(_requests(1))
    assert engine.known([key]) == set()
    with pytest.raises(JudgeError) as error:
        engine.settle({key: _said("Yes")})
    sentence = (
        "Expected to store 1 verdicts in the judge's cache, which failed: {}. "
        "Run the same command again when it can be written: nothing is lost."
    )
    assert str(error.value) == sentence.format("it cannot be written")
    engine.settle({key: failed("x")})
    assert engine.map(_requests(1))[0].reason == "x"

    def fail(_cache: VerdictCache, _rows: object) -> bool:
        raise sqlite3.DatabaseError("disk gone")

    monkeypatch.setattr(VerdictCache, "put_many", fail)
    with pytest.raises(JudgeError) as error:
        engine_of().settle({key: _said("Yes")})
    assert str(error.value) == sentence.format("disk gone")

    def locked(cache: VerdictCache, _rows: object) -> bool:
        cache.trouble = "database is locked"
        return False

    monkeypatch.setattr(VerdictCache, "put_many", locked)
    with pytest.raises(JudgeError) as error:
        engine_of().settle({key: _said("Yes")})
    assert str(error.value) == sentence.format("database is locked")


def test_verdicts_that_are_in_no_cache_are_told_once(
    engine_of: MakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And again when there are more of them; the summary counts them."""
    engine = engine_of()
    engine.map(_requests(1))
    assert "Expected to store" not in capsys.readouterr().err
    for count, times in ((2, 1), (2, 0), (1, 0), (3, 1)):
        monkeypatch.setattr(VerdictCache, "unstored", lambda _, count=count: count)
        monkeypatch.setattr(VerdictCache, "trouble", "disk full", raising=False)
        engine.wait([])
        told = capsys.readouterr().err
        assert told.count(f"Expected to store {count} verdicts in the judge's cache ") == times
        assert engine.summary().unstored == count
    assert "judge.sqlite, which failed: " in told
    assert "They count in this run, and the next one pays for them again. Make room, or end the program" in told


def test_an_unchanged_summary_is_printed_once(engine_of: MakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    """Metrics over the same verdicts come one after another; without `report` nothing is printed."""
    engine = engine_of()
    engine.map(_requests(2))
    assert "Judge openai" not in capsys.readouterr().err
    for count in (1, 0):
        engine.wait([], report=True)
        assert capsys.readouterr().err.count(engine.summary().line() + "\n") == count


def test_the_log_says_what_is_asked_of_whom(engine_of: MakeEngine, caplog: pytest.LogCaptureFixture) -> None:
    """Requests, verdicts that are there, and where they are."""
    engine = engine_of()
    engine.map(_requests(2))
    with caplog.at_level("INFO", "spiqa_tasks"):
        engine.submit_all(_requests(3))
    host, path = engine.config.host, engine.config.cache_dir
    expected = f"judge openai:gpt-4o at {host}: 3 requests, 2 of their verdicts in the cache {path}/judge.sqlite"
    assert expected in caplog.messages
    caplog.clear()
    with caplog.at_level("INFO", "spiqa_tasks"):
        engine_of(cache=False).submit_all([])
    assert f"judge openai:gpt-4o at {host}: 0 requests, 0 of their verdicts in the cache none" in caplog.messages


def test_the_estimate_has_the_tokens_and_the_price_of_what_is_missing(engine_of: MakeEngine) -> None:
    """A quarter of the characters of the prompt and ten more; all tokens that may be written."""
    requests = [
        JudgeRequest("x" * 60, top_logprobs=None, max_tokens=7),
        JudgeRequest("z" * 8, max_tokens=1),
    ]
    found = engine_of(price=(2.0, 10.0)).estimate([*requests, requests[0]])
    assert found == JudgingEstimate(2, 0, 25 + 12, 8, pytest.approx((37 * 2 + 8 * 10) / 1e6))


def test_a_public_server_needs_a_key(engine_of: MakeEngine) -> None:
    """Asked for before anything goes out."""
    engine = engine_of(url=PROVIDERS["openai"].url, api_key=None)
    for ask in (engine.require_key, lambda: engine.ask_now(_requests(1)[0], engine.config.retry)):
        with pytest.raises(JudgeError, match="needs a key and none was found"):
            ask()
    engine_of().require_key()


def test_a_question_that_is_asked_now_goes_past_the_cache_and_is_not_counted(
    server: OpenAIServer, engine_of: MakeEngine
) -> None:
    """Each time anew, and nothing of it is stored."""
    engine = engine_of()
    (request,) = _requests(1)
    for count in (1, 2):
        assert engine.ask_now(request, engine.config.retry).ok
        assert len(server.requests) == count
    assert engine.known(engine.keyed([request])) == set()
    assert (engine.summary().judged, engine.summary().models) == (0, ("gpt-4o",))


def test_a_verdict_that_somebody_holds_is_shared_unless_it_failed(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Without a cache, too."""
    engine = engine_of(cache=False)
    held = engine.submit_all(_requests(1))
    assert held[0].result(10).ok
    assert engine.submit_all(_requests(1)) == held
    server.behaviour.script = ["404"]
    other = [JudgeRequest("another")]
    lost = engine.submit_all(other)
    assert not lost[0].result(10).ok
    assert engine.map(other)[0].ok
    assert len(server.requests) == 3


def test_a_list_of_requests_has_its_summary_printed_on_demand(
    engine_of: MakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `wait` prints it."""
    engine_of().map(_requests(2), report=True)
    assert "Judge openai:gpt-4o: 2 judged, 0 from the cache, 0 failed" in capsys.readouterr().err
