"""A judged run of the host in two processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from openai_server import Behaviour, OpenAIServer

QUESTIONS = 39


def run_whole_group(command: list[str], environment: dict[str, str], timeout: float) -> tuple[int, str]:
    """Exit status and output of a launcher; its workers end with it, also when time is up."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.slow
def test_two_processes_judge_every_answer_once(tmp_path: Path) -> None:
    """Under torchrun each rank judges its share; samples hold final scores, and the mean is theirs."""
    with OpenAIServer(Behaviour(latency=0.05)) as server:
        environment = {
            **os.environ,
            "SPIQA_JUDGE": "openai:gpt-4o",
            "SPIQA_JUDGE_BASE_URL": server.url,
            "SPIQA_JUDGE_API_KEY": "sk-secret-0123456789",
            "OMP_NUM_THREADS": "1",
        }
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        arguments = ["--model", "caption_retrieval", "--tasks", "spiqa_demo", "--log_samples"]
        command = [*launcher, "-m", "lmms_eval", *arguments, "--output_path", str(tmp_path / "out")]
        status, output = run_whole_group(command, environment, timeout=240)
        assert status == 0, output[-2000:]
        (results,) = (tmp_path / "out").rglob("*_results.json")
        (samples,) = (tmp_path / "out").rglob("*_samples_spiqa_demo.jsonl")
        asked = Counter(request["body"]["messages"][-1]["content"] for request in server.requests)
    entries = [json.loads(line) for line in samples.read_text().splitlines()]
    records = [entry["l3score"] for entry in entries]
    assert len({record["id"] for record in records}) == len(records) == QUESTIONS
    assert {record["status"] for record in records} == {"ok"}
    metrics = json.loads(results.read_text())["results"]["spiqa_demo"]
    assert metrics["l3score,none"] == pytest.approx(sum(record["score"] for record in records) / QUESTIONS)
    test_question = [prompt for prompt in asked if "colour is the sky" in prompt]
    assert len(test_question) == 1
    assert all(count == 1 for prompt, count in asked.items() if prompt not in test_question)
    distinct = {(entry["unformatted_rate"]["answer"], entry["unformatted_rate"]["prediction"]) for entry in entries}
    assert len(distinct) <= len(asked) - 1 <= QUESTIONS
