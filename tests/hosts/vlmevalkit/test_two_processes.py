"""Runs under torchrun: the same numbers as in one process, also after a kill."""

import os
import subprocess
import sys
from pathlib import Path

import fixed_answers
import pytest
from openai_server import Behaviour, OpenAIServer
from run_files import run_records, run_values
from vlmevalkit_models import DIE_AFTER

from .conftest import Launch

TASK = "spiqa_demo"
QUESTIONS = 39
DUMPED = 10
"""After so many answers the host keeps them for `--reuse`."""
TESTED = 2
"""How many questions the judge is asked before a run, by the first process alone."""
LAUNCHER = Path(__file__).resolve().parents[2] / "servers" / "vlmevalkit_launch.py"
pytestmark = [pytest.mark.slow, pytest.mark.java]  # the processes of the run have the real one


def torchrun(folder: Path, *arguments: str, die_after: int) -> int:
    """Run the launcher in two processes, each of which kills itself after `die_after` answers;
    return its exit status.
    """
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        str(LAUNCHER),
    ]
    command += ["--data", TASK, "--model", "odd", "--work-dir", str(folder), *arguments]
    environment = {
        **os.environ,
        DIE_AFTER: str(die_after),
        "OMP_NUM_THREADS": "1",
        "PRED_FORMAT": "",
    }
    return subprocess.run(command, env=environment, capture_output=True, timeout=300).returncode


def test_two_processes_that_were_killed_go_on_and_give_the_numbers_of_one(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered before the kill is not asked again, odd answers arrive, and nothing is
    judged twice.
    """
    with OpenAIServer(Behaviour(verdict=fixed_answers.verdict)) as server:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
        assert torchrun(tmp_path / "two", die_after=DUMPED + 2) != 0
        assert not list((tmp_path / "two").rglob("*_results.json"))
        assert torchrun(tmp_path / "two", "--reuse", die_after=QUESTIONS // 2 + 1 - DUMPED) == 0
        asked = len(server.requests)
        assert launch("--data", TASK, "--model", "odd") == 0
        assert asked == QUESTIONS + 2 * TESTED
        assert len(server.requests) == asked + TESTED
    assert run_values(tmp_path / "two", TASK) == run_values(tmp_path / "out", TASK)
    two, one = (run_records(tmp_path / name, TASK) for name in ("two", "out"))
    assert two == one
    assert len(one) == QUESTIONS
