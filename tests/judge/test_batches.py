"""Judging in batches, against a server that speaks files and batches, and Anthropic's message batches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from batch_server import BatchServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge import batches
from spiqa_tasks.judge.batches import judge_in_batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.open_batches import OpenBatches
from spiqa_tasks.judge.types import JudgeRequest

KEY = "sk-secret-0123456789"
MakeEngine = Callable[..., Engine]
REQUESTS = [
    JudgeRequest(f"Ground-truth answer: {place}\nCandidate answer: {place % 3}", top_logprobs=3) for place in range(9)
]
WRITTEN = [JudgeRequest(f"Write {place}.", top_logprobs=None, max_tokens=9) for place in range(4)]


@pytest.fixture
def batching(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """A server whose batches end at the first look; nobody waits long between two."""
    monkeypatch.setattr(batches, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(batches, "_LONGEST_WAIT", 0.02)
    with BatchServer() as running:
        yield running


@pytest.fixture
def engine(batching: BatchServer, tmp_path: Path) -> Iterator[MakeEngine]:
    """Makes engines for judges at the server, all with one cache."""
    made: list[Engine] = []
    config = JudgeConfig("openai", "gpt-4o", batching.url, KEY, cache_dir=tmp_path, price=(2.0, 10.0))

    def make(provider: str = "openai") -> Engine:
        made.append(Engine(replace(config, provider=provider)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def judged(engine: Engine, requests: list[JudgeRequest] = REQUESTS, *, wait: bool = True) -> tuple[bool, list[str]]:
    """Whether all is there, and what was said."""
    said: list[str] = []
    return judge_in_batches(engine, requests, wait=wait, say=said.append), said


def test_verdicts_are_those_of_single_requests(engine: MakeEngine, batching: BatchServer, tmp_path: Path) -> None:
    """Same texts, log-probabilities, models and tokens, though the batch's lines come in another order."""
    assert judged(engine())[0]
    collected = engine().map(REQUESTS)
    assert not batching.requests
    alone = Engine(replace(engine().config, cache_dir=tmp_path / "other"))
    single = alone.map(REQUESTS)
    alone.close()
    assert [replace(verdict, cached=False) for verdict in collected] == single


def test_a_batch_sends_what_single_requests_send(engine: MakeEngine, batching: BatchServer) -> None:
    """One line per different request, with the same body."""
    judged(engine(), [*REQUESTS, *REQUESTS])
    fresh = Engine(replace(engine().config, cache=False))
    fresh.map(REQUESTS)
    fresh.close()
    sent = [request["body"] for request in batching.requests]
    (batch,) = batching.batches
    assert sorted(map(str, sent)) == sorted(str(entry["body"]) for entry in batch.entries)


def test_what_is_there_is_never_handed_over(engine: MakeEngine, batching: BatchServer) -> None:
    """Stored verdicts cost nothing, and with all of them stored the server is not called."""
    engine().map(REQUESTS[:5])
    judged(engine())
    assert [len(batch.entries) for batch in batching.batches] == [4]
    batching.calls.clear()
    assert judged(engine()) == (True, [])
    assert not batching.calls


def test_without_waiting_a_later_call_collects(engine: MakeEngine, batching: BatchServer) -> None:
    """Each call says how many are done; requests that are new go into a batch of their own."""
    batching.ends_at = 3
    assert judged(engine(), REQUESTS[:5], wait=False)[0] is False
    there, said = judged(engine(), wait=False)
    assert not there
    assert "3 of 9 requests are done" in said[-1]
    assert [len(batch.entries) for batch in batching.batches] == [5, 4]
    assert judged(engine())[0] is True
    assert len(batching.batches) == 2
    assert not list(OpenBatches(engine().config, engine().config.cache_dir or Path()))


def test_what_failed_in_a_batch_is_failed_and_handed_over_again(engine: MakeEngine, batching: BatchServer) -> None:
    """Refused, unanswered and garbled entries are statuses in this run; the next one asks only for them."""
    batching.refused, batching.silent, batching.garbled = {0}, {1}, {2}
    first = engine()
    there, said = judged(first)
    assert there
    assert "6 judged, 3 failed" in said[-1]
    verdicts = first.map(REQUESTS)
    reasons = sorted(verdict.reason or "" for verdict in verdicts if not verdict.ok)
    assert reasons[0] == "in the batch: HTTP 400: too long"
    assert all("holds no answer" in reason for reason in reasons[1:])
    assert len(reasons) == 3
    assert not batching.requests
    batching.refused = batching.silent = batching.garbled = set()
    judged(engine())
    assert [len(batch.entries) for batch in batching.batches] == [9, 3]
    assert all(verdict.ok for verdict in engine().map(REQUESTS))


@pytest.mark.parametrize("status", ["failed", "expired", "cancelled"])
def test_a_batch_that_ends_early_says_so_of_each_request(
    engine: MakeEngine, batching: BatchServer, status: str
) -> None:
    """Answers that were made before it ended count, as they are paid for."""
    batching.status, batching.silent = status, set(range(4))
    first = engine()
    judged(first)
    verdicts = first.map(REQUESTS)
    assert sum(verdict.ok for verdict in verdicts) == (0 if status == "failed" else 5)
    assert {verdict.reason for verdict in verdicts if not verdict.ok} == {
        f"the batch {status}" + ("; a line is no request" if status == "failed" else "")
    }


KILLED = """
import os, signal, sys
from pathlib import Path
from spiqa_tasks.judge.batches import judge_in_batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.judge.open_batches import OpenBatches
provider, url, cache, moment = sys.argv[1:]
if moment == "before it was named":
    OpenBatches.arrived = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
judge = Engine(JudgeConfig(provider, "gpt-4o", url, "k" * 20, cache_dir=Path(cache)))
requests = [JudgeRequest(f"Write {place}.", top_logprobs=None, max_tokens=9) for place in range(4)]
judge_in_batches(judge, requests, wait=True, say=print)
"""


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("moment", ["before it was named", "while it waited"])
def test_a_killed_call_is_continued(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, provider: str, moment: str
) -> None:
    """Whether the kill came between the server's answer and its note, or in the wait: one batch, handed over once."""
    batching.ends_at = 10**9
    arguments = [sys.executable, "-c", KILLED, provider, batching.url, str(tmp_path), moment]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if moment == "while it waited" and batching.calls["look"]:
            os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.02)
    assert process.wait(10) == -signal.SIGKILL
    assert len(batching.batches) == 1
    batching.ends_at = 1
    assert judged(engine(provider), WRITTEN)[0]
    assert batching.calls["create"] == 1
    assert all(verdict.ok for verdict in engine(provider).map(WRITTEN))
    assert not batching.requests


def test_a_batch_that_never_arrived_is_handed_over(engine: MakeEngine, batching: BatchServer, tmp_path: Path) -> None:
    """A note from just before the hand-over, and nothing at the server."""
    keys = engine().missing(REQUESTS)
    OpenBatches(engine().config, tmp_path).begin(dict.fromkeys(keys, 3))
    assert judged(engine())[0]
    assert len(batching.batches) == 1


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_earlier_batch_of_the_same_requests_is_not_taken_for_one_that_never_arrived(
    engine: MakeEngine, batching: BatchServer, tmp_path: Path, provider: str
) -> None:
    """All requests failed yesterday and are handed over anew; a kill comes before they arrive."""
    batching.refused = set(range(len(WRITTEN)))
    judged(engine(provider), WRITTEN)
    batching.refused, batching.batches[0].made = set(), time.time() - 86_400
    keys = engine(provider).missing(WRITTEN)
    OpenBatches(engine(provider).config, tmp_path).begin(dict.fromkeys(keys))
    assert judged(engine(provider), WRITTEN)[0]
    assert len(batching.batches) == 2
    assert all(verdict.ok for verdict in engine(provider).map(WRITTEN))


def test_a_refusal_is_one_sentence_without_the_key(engine: MakeEngine, batching: BatchServer) -> None:
    """The server repeats the key; the message does not, and the next call hands the requests over."""
    batching.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match="Expected the batch interface of the judge openai:gpt-4o") as error:
        judged(engine())
    assert KEY not in str(error.value)
    batching.behaviour.sticky = None
    assert judged(engine())[0]


def test_large_lists_become_several_batches(
    engine: MakeEngine, batching: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number and by size, every request in exactly one."""
    monkeypatch.setattr(batches, "MOST_ENTRIES", 4)
    judged(engine())
    assert [len(batch.entries) for batch in batching.batches] == [4, 4, 1]
    assert len({entry["custom_id"] for batch in batching.batches for entry in batch.entries}) == 9
    monkeypatch.setattr(batches, "MOST_BYTES", 1)
    judged(engine(), WRITTEN)
    assert [len(batch.entries) for batch in batching.batches][3:] == [1] * 4


def test_the_price_is_half(engine: MakeEngine) -> None:
    """The line has what it cost, and what single requests would have."""
    _, said = judged(engine(), [JudgeRequest("x" * 4_000_000, top_logprobs=None)])
    assert "about $1.00 instead of $2.00" in said[-1]


def test_a_judge_without_batches_is_refused(tmp_path: Path) -> None:
    """A local model, before anything is loaded."""
    judge = Engine(JudgeConfig("hf", "some/model", cache_dir=tmp_path))
    with pytest.raises(JudgeError, match="batch interface for --batch, found hf:some/model"):
        judged(judge)
