"""Asking a real server that fails in every way: nothing hangs, nothing is lost, nothing is paid
twice.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks import printable
from spiqa_tasks.judge.judge import JudgeClient, JudgingEstimate
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, RetryPolicy, Verdict

PROGRAM = """
import sys
from pathlib import Path
from spiqa_tasks.judge.types import JudgeConfig
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.types import JudgeRequest
url, cache, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
config = JudgeConfig("openai", "gpt-4o", url, "k", concurrency=4, cache_dir=cache)
found = JudgeClient(config).verdicts([JudgeRequest(f"Q{i}?") for i in range(count)])
print(sum(verdict.ok for verdict in found), sum(not verdict.cached for verdict in found))
"""


def requests(count: int) -> list[JudgeRequest]:
    return [
        JudgeRequest(f"Ground-truth answer: {i}\nCandidate answer: {i % 2 * i}")
        for i in range(count)
    ]


def ask(
    config: JudgeConfig, asked: Sequence[JudgeRequest] | int = 1, **changes: Any
) -> list[Verdict]:
    """Return the verdicts on some requests (a number: as many different ones) of a judge whose
    config has these changes.
    """
    wanted = requests(asked) if isinstance(asked, int) else asked
    return JudgeClient(replace(config, **changes)).verdicts(wanted)


def test_verdicts_come_in_the_order_of_the_requests(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """Each request gets the verdict on its own text, as the server gave it; equal requests share
    one.
    """
    found = ask(config, requests(50) * 2)
    assert [verdict.text for verdict in found] == [
        "Yes" if i % 2 or i == 0 else "No" for i in range(50)
    ] * 2
    logprobs = [logprob for _, logprob in found[1].top_logprobs]
    assert logprobs == sorted(logprobs, reverse=True)
    assert len(server.requests) == 50


def test_a_stored_verdict_is_not_asked_for_again(server: OpenAIServer, config: JudgeConfig) -> None:
    """A later call gives the same verdicts, marked as cached; failures are asked again."""
    server.behaviour.script = ["400"]
    first = ask(config, 30, concurrency=1)
    second = ask(config, 30)
    assert [verdict.ok for verdict in first] == [False] + [True] * 29
    assert [verdict.cached for verdict in second] == [False] + [True] * 29
    assert second[1:] == [replace(verdict, cached=True) for verdict in first[1:]]
    assert len(server.requests) == 31


def test_the_estimate_asks_nothing(server: OpenAIServer, config: JudgeConfig) -> None:
    """Calls, stored verdicts and tokens of what is missing; equal requests count once."""
    stored = requests(3)
    ask(config, stored)
    new = [
        JudgeRequest("x" * 60, top_logprobs=None, max_tokens=7),
        JudgeRequest("z" * 8, max_tokens=1),
    ]
    found = JudgeClient(config).estimate([*new, new[0], *stored])
    assert found == JudgingEstimate(2, 3, 25 + 12, 8, None)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "fault", ["429", "408", "409", "500", "503", "reset", "timeout", "truncated", "not_json"]
)
def test_passing_faults_are_survived(server: OpenAIServer, config: JudgeConfig, fault: str) -> None:
    """After any fault that may pass, the request is made again and judged."""
    server.behaviour.script = [fault, fault]
    assert ask(config)[0].ok
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "fault", ["400", "401", "403", "404", "too_large", "quota", "redirect", "no_logprobs"]
)
def test_lasting_faults_fail_at_once(server: OpenAIServer, config: JudgeConfig, fault: str) -> None:
    """They are asked once, with a reason, and others are judged."""
    server.behaviour.script = [fault]
    found = ask(config, 3, concurrency=1, timeout=10)
    assert [verdict.ok for verdict in found] == [False, True, True]
    assert found[0].reason
    assert len(server.requests) == 3


def test_thirty_percent_faults_lose_nothing(server: OpenAIServer, config: JudgeConfig) -> None:
    """With 30% of all kinds of faults every request is judged, and none is judged wrongly."""
    kinds = ["429", "500", "reset", "timeout", "truncated"]
    server.behaviour.faults = dict.fromkeys(kinds, 0.06)
    found = ask(config, 300, timeout=0.3, retry=replace(config.retry, max_attempts=30))
    assert [verdict.text for verdict in found] == [
        "Yes" if i % 2 or i == 0 else "No" for i in range(300)
    ]


def test_a_dead_server_is_given_up_for_all(server: OpenAIServer, config: JudgeConfig) -> None:
    """When nothing was answered for the time bound, what is open fails with the reason, soon and
    without asking.
    """
    server.behaviour.sticky = "timeout"
    start = time.monotonic()
    found = ask(
        config,
        200,
        timeout=0.2,
        concurrency=4,
        retry=RetryPolicy(max_attempts=100, patience=0.6, base=0.01),
    )
    assert time.monotonic() - start < 5
    assert all("no answer within 0.2 s" in (verdict.reason or "") for verdict in found)
    assert len(server.requests) < 40


def test_a_server_that_starts_late_is_waited_for(config: JudgeConfig) -> None:
    """Refused connections are retried until the server listens."""
    with OpenAIServer(Behaviour()) as gone:
        url = gone.url
    late = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url, str(config.cache_dir), "1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    with OpenAIServer(Behaviour(), port=int(url.split(":")[2].split("/")[0])):
        assert late.communicate(timeout=30)[0].split() == ["1", "1"]


def test_concurrency_is_used_and_bounded(server: OpenAIServer, config: JudgeConfig) -> None:
    """As many requests are in work as allowed, never more."""
    server.behaviour.latency = 0.1
    ask(config, 60, concurrency=7, timeout=10)
    assert server.most_active == 7


def test_the_servers_own_slot_limit_is_survived(server: OpenAIServer, config: JudgeConfig) -> None:
    """A server that refuses beyond five requests at a time gets all of them in the end."""
    server.behaviour.latency, server.behaviour.slots = 0.02, 5
    assert all(verdict.ok for verdict in ask(config, 100, concurrency=16, timeout=10))


@pytest.mark.slow
def test_a_bucket_is_used_up_without_losing_an_answer(config: JudgeConfig) -> None:
    """Against 100 requests a second answers come at nearly that rate, and refusals stay few."""
    with OpenAIServer(Behaviour()) as server:
        ask(config, 1, url=server.url)  # imports the client's package, which is no matter of rates
    with OpenAIServer(Behaviour(bucket=(100, 20), latency=0.02, retry_after=None)) as limited:
        start = time.monotonic()
        assert all(verdict.ok for verdict in ask(config, 600, url=limited.url, timeout=10))
        assert time.monotonic() - start < (600 - 20) / 100 / 0.85
        assert limited.counts["429"] < 300


def test_where_a_loop_runs_already_it_is_asked_too(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """As in a notebook."""

    async def cell() -> list[Verdict]:
        return ask(config, 5)

    assert all(verdict.ok for verdict in asyncio.run(cell()))
    assert len(server.requests) == 5


def test_a_defect_in_a_provider_is_a_reason(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected exception fails the request it came from, without the key, and hangs nobody."""

    async def ask_and_break(_judge: OpenAIJudge, _request: JudgeRequest) -> Verdict:
        raise ZeroDivisionError(f"oops {config.api_key}")

    monkeypatch.setattr(OpenAIJudge, "ask", ask_and_break)
    assert ask(config)[0].reason == "unexpected ZeroDivisionError: oops [key]"


def start(server: OpenAIServer, cache: Path, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", PROGRAM, server.url, str(cache), str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def again(server: OpenAIServer, cache: Path, count: int) -> tuple[int, int]:
    """Return how many verdicts a later run gets, and how many of them it asks for."""
    config = JudgeConfig("openai", "gpt-4o", server.url, "k", concurrency=4, cache_dir=cache)
    found = JudgeClient(config).verdicts([JudgeRequest(f"Q{i}?") for i in range(count)])
    return sum(verdict.ok for verdict in found), sum(not verdict.cached for verdict in found)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_loses_only_what_was_on_its_way(
    server: OpenAIServer, tmp_path: Path, kill: signal.Signals
) -> None:
    """The next run asks for the rest alone."""
    server.behaviour.latency = 0.05
    first = start(server, tmp_path, 80)
    deadline = time.monotonic() + 30
    while server.counts["ok"] < 30 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(first.pid, kill)
    first.communicate(timeout=30)
    time.sleep(0.2)
    assert 30 <= server.counts["ok"] < 80
    assert again(server, tmp_path, 80)[0] == 80
    assert 0 <= server.counts["ok"] - 80 <= 8
    assert again(server, tmp_path, 80) == (80, 0)


def test_two_processes_share_a_cache(server: OpenAIServer, tmp_path: Path) -> None:
    """Two runs at once both have all verdicts, and each request is asked once or twice."""
    server.behaviour.latency = 0.03
    runs = [start(server, tmp_path, 80) for _ in range(2)]
    assert [run.communicate(timeout=60)[0].split()[0] for run in runs] == ["80", "80"]
    assert 80 <= server.counts["ok"] <= 160
    assert again(server, tmp_path, 80) == (80, 0)


def test_a_slow_judge_is_said_on_stderr(
    server: OpenAIServer,
    config: JudgeConfig,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After the time that is slow, once; nothing where it is fast."""
    ask(config, 2)
    fast = capsys.readouterr().err
    monkeypatch.setattr(printable, "SLOW", 0.1)
    server.behaviour.latency = 0.5
    ask(config, [JudgeRequest("slow")], timeout=10)
    assert (fast, capsys.readouterr().err) == (
        "",
        "spiqa-tasks: judge openai:gpt-4o: 1 judgement:   0%|          | 0/1 [00:00<?, ?it/s]\n",
    )


def test_the_log_says_what_is_asked_of_whom(
    config: JudgeConfig, caplog: pytest.LogCaptureFixture
) -> None:
    """Requests, verdicts that are there, and where they are."""
    ask(config, 2)
    with caplog.at_level("INFO", "spiqa_tasks"):
        ask(config, 3)
        ask(config, 1, cache_dir=None)
    line = (
        f"judge openai:gpt-4o at {config.host}: %d requests, %d of their verdicts in the cache %s"
    )
    assert line % (3, 2, f"{config.cache_dir}/judge.sqlite") in caplog.messages
    assert line % (1, 0, "none") in caplog.messages
