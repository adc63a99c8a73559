"""Several processes, forks and kill -9: every verdict is paid for once and none is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.cache import VerdictCache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers import JudgeClient
from spiqa_tasks.judge.types import JudgeRequest

PROGRAM = """
import sys
from pathlib import Path
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.judge.rules.rule import Candidate
url, cache, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
engine, rule = Engine(JudgeConfig("openai", "gpt-4o", url, "k", concurrency=4, cache_dir=cache)), L3ScoreRule()
candidates = [Candidate("a", f"Q{i}?", "a") for i in range(count)]
verdicts = engine.map([rule.request(each) for each in candidates])
print(sum(rule.score(*pair) > 0.9 for pair in zip(candidates, verdicts)), engine.summary().judged)
"""


def _start(server: OpenAIServer, cache: Path, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", PROGRAM, server.url, str(cache), str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def _numbers(process: subprocess.Popen[str]) -> list[int]:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return [int(number) for number in output.split()]


def test_after_kill_9_only_the_missing_verdicts_are_asked_for(server: OpenAIServer, tmp_path: Path) -> None:
    """A killed run leaves all its verdicts but those in flight; the next run asks for the rest only."""
    server.behaviour.latency = 0.03
    first = _start(server, tmp_path, 80)
    deadline = time.monotonic() + 30
    while server.counts["ok"] < 30 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    time.sleep(0.2)
    answered = server.counts["ok"]
    assert 30 <= answered < 80
    assert _numbers(_start(server, tmp_path, 80))[0] == 80
    lost = server.counts["ok"] - 80
    assert 0 <= lost <= 8
    assert _numbers(_start(server, tmp_path, 80)) == [80, 0]


def test_two_processes_at_once_pay_once(server: OpenAIServer, tmp_path: Path) -> None:
    """Two runs over the same answers share the work: each answer is asked about once, and both have all scores."""
    server.behaviour.latency = 0.03
    first, second = _start(server, tmp_path, 80), _start(server, tmp_path, 80)
    numbers = [_numbers(first), _numbers(second)]
    assert [scored for scored, _ in numbers] == [80, 80]
    assert sum(judged for _, judged in numbers) == 80
    assert server.counts["ok"] == 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_judges_for_itself(server: OpenAIServer, engine_of: Callable[..., Engine]) -> None:
    """A child forked from a busy parent asks through a loop of its own, also for what its parent is asking."""
    server.behaviour.latency = 0.3
    engine = engine_of(timeout=10)
    requests = [JudgeRequest(f"Q{i}?") for i in range(6)]
    inherited = engine.submit_all(requests[:5])
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        sender.send([pending.result().status for pending in engine.submit_all(requests)])
        engine.close()
        os._exit(0)

    process = context.Process(target=child)
    process.start()
    assert receiver.poll(20)
    assert receiver.recv() == ["ok"] * 6
    process.join(20)
    assert all(pending.result().ok for pending in inherited)
    assert server.counts["ok"] == 6
    assert VerdictCache(engine.config.cache_dir / "judge.sqlite").claim_many(["new"]) == ["mine"]  # type: ignore[operator]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forks_while_no_thread_uses_the_cache(tmp_path: Path) -> None:
    """A child that is forked within SQLite has its locks, which nobody opens there, and waits for them forever."""
    cache = VerdictCache(tmp_path / "judge.sqlite")
    entered, left = threading.Event(), threading.Event()

    def slow(_statement: str) -> None:
        entered.set()
        time.sleep(0.3)
        left.set()

    cache._db.set_trace_callback(slow)
    reading = threading.Thread(target=cache.get_many, args=(["a"],))
    reading.start()
    assert entered.wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if left.is_set() and VerdictCache(tmp_path / "judge.sqlite").get_many(["a"]) == {} else 1)
    assert os.waitpid(child, 0)[1] == 0
    reading.join()
    cache.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forks_while_no_engine_starts(engine_of: Callable[..., Engine]) -> None:
    """A child that is forked while a thread imports the client's modules waits for them forever, when it judges."""
    engine = engine_of()
    make, entered, left = engine._make, threading.Event(), threading.Event()

    def slow(config: JudgeConfig) -> JudgeClient:
        entered.set()
        time.sleep(0.3)
        left.set()
        return make(config)

    engine._make = slow
    starting = threading.Thread(target=engine.submit_all, args=([],))
    starting.start()
    assert entered.wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if left.is_set() else 1)
    assert os.waitpid(child, 0)[1] == 0
    starting.join()


def test_a_process_may_end_with_questions_open(server: OpenAIServer, tmp_path: Path) -> None:
    """Leaving without waiting for the verdicts takes no time and prints no traceback."""
    server.behaviour.latency = 20
    program = PROGRAM.replace("engine.map(", "engine.submit_all(").replace("", "").rpartition("print(")[0]
    arguments = [sys.executable, "-X", "dev", "-c", program + "import time; time.sleep(0.3)"]
    start = time.monotonic()
    done = subprocess.run([*arguments, server.url, str(tmp_path), "50"], capture_output=True, text=True, timeout=60)
    assert time.monotonic() - start < 15
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
