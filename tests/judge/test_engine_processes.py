"""Several processes, forks and kill -9: every verdict is paid for once and none is lost."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.cache import VerdictCache
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge

PROGRAM = """
import sys
from pathlib import Path
from spiqa_tasks.judge import Engine, JudgeConfig, L3Judge
url, cache, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
judge = L3Judge(Engine(JudgeConfig("openai", "gpt-4o", url, "k", concurrency=4, cache_dir=cache)))
records = [judge.record({"id": i}, f"Q{i}?", "a", "a") for i in range(count)]
judge.finish(records, report=False)
print(sum(record["score"] > 0.9 for record in records), judge.engine.summary().judged)
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
    """A child forked from a busy parent asks through a loop of its own, also for verdicts its parent awaited."""
    server.behaviour.latency = 0.3
    engine = engine_of(timeout=10)
    judge = L3Judge(engine)
    inherited = [judge.record({"id": i}, f"Q{i}?", "a", "a") for i in range(5)]
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        own = judge.record({"id": 9}, "Q9?", "a", "b")
        sender.send([*inherited, own])
        engine.close()
        os._exit(0)

    process = context.Process(target=child)
    process.start()
    assert receiver.poll(20)
    records = receiver.recv()
    process.join(20)
    assert [record["status"] for record in records] == ["ok"] * 6
    assert records[5]["score"] < 0.1
    judge.finish(inherited, report=False)
    assert all(record["score"] > 0.9 for record in inherited)
    assert server.counts["ok"] == 6
    assert VerdictCache(engine.config.cache_dir / "judge.sqlite").claim_many(["new"]) == ["mine"]  # type: ignore[operator]


def test_records_gathered_from_other_processes_are_complete(server: OpenAIServer, tmp_path: Path) -> None:
    """Two ranks judge their own share and send pickled records; rank 0 aggregates plain dicts with all scores."""
    server.behaviour.latency = 0.05
    program = PROGRAM.replace("judge.finish(records, report=False)", "").rpartition("print(")[0]
    program += "import pickle; sys.stdout.buffer.write(pickle.dumps(records[int(sys.argv[4])::2]))"
    ranks = [
        subprocess.Popen([sys.executable, "-c", program, server.url, str(tmp_path), "20", rank], stdout=subprocess.PIPE)
        for rank in ("0", "1")
    ]
    gathered = [record for rank in ranks for record in pickle.loads(rank.communicate(timeout=60)[0])]
    assert sorted(record["id"] for record in gathered) == list(range(20))
    assert all(type(record) is dict and record["score"] > 0.9 for record in gathered)
    assert server.counts["ok"] == 20


def test_a_process_may_end_with_questions_open(server: OpenAIServer, tmp_path: Path) -> None:
    """Leaving without waiting for the verdicts takes no time and prints no traceback."""
    server.behaviour.latency = 20
    program = PROGRAM.replace("judge.finish(records, report=False)", "").rpartition("print(")[0]
    arguments = [sys.executable, "-X", "dev", "-c", program + "import time; time.sleep(0.3)"]
    start = time.monotonic()
    done = subprocess.run([*arguments, server.url, str(tmp_path), "50"], capture_output=True, text=True, timeout=60)
    assert time.monotonic() - start < 15
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_torchs_gather_receives_scores(server: OpenAIServer, tmp_path: Path) -> None:
    """Under torchrun with two processes, gather_object brings complete records to rank 0, each judged once."""
    server.behaviour.latency = 0.3
    program = tmp_path / "program.py"
    program.write_text(
        PROGRAM.replace("judge.finish(records, report=False)", "").rpartition("print(")[0]
        + "import torch.distributed as dist\n"
        + "dist.init_process_group('gloo')\n"
        + "gathered = [None, None] if dist.get_rank() == 0 else None\n"
        + "dist.gather_object(records[dist.get_rank()::2], gathered, dst=0)\n"
        + "if gathered: print('scored', sum('score' in record for rank in gathered for record in rank))\n"
        + "dist.destroy_process_group()\n"
    )
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(program)]
    done = subprocess.run(
        [*torchrun, server.url, str(tmp_path / "cache"), "21"], capture_output=True, text=True, timeout=120
    )
    assert "scored 21" in done.stdout
    assert server.counts["ok"] == 21
