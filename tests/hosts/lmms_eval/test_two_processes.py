"""Runs of the host in two processes: the same numbers as in one, and nothing judged twice."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer

QUESTIONS = 39
TASKS = ("spiqa_demo", "spiqa_demo_perfigure")
pytestmark = [pytest.mark.slow, pytest.mark.java]  # the processes of the run have the real one


def run_whole_group(
    command: list[str], environment: dict[str, str], timeout: float
) -> tuple[int, str]:
    """Exit status and output of a launcher; its workers end with it, also when time is up."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def torchrun(
    folder: Path, model: str, tasks: str, **variables: str
) -> tuple[dict[str, dict[str, Any]], str]:
    """Return task -> metric -> value of a run in two processes, and its output; its samples are in
    `folder`.
    """
    launcher = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
    ]
    arguments = ["--model", model, "--tasks", tasks, "--log_samples", "--output_path", str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    status, output = run_whole_group(
        [*launcher, "-m", "lmms_eval", *arguments], environment, timeout=560
    )
    assert status == 0, output[-2000:]
    (results,) = folder.rglob("*_results.json")
    return dict(json.loads(results.read_text())["results"]), output


def samples_of(folder: Path, task: str) -> list[dict[str, Any]]:
    """The logged samples of a task."""
    (path,) = folder.rglob(f"*_samples_{task}.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def judge_at(server: OpenAIServer) -> dict[str, str]:
    """The variables that make the server the judge."""
    return {"SPIQA_JUDGE": "openai:judge", "SPIQA_JUDGE_BASE_URL": server.url}


def numbers(values: dict[str, Any]) -> dict[str, float]:
    """The rows of the table that have a number."""
    return {
        key: value
        for key, value in values.items()
        if key.endswith(",none") and "_stderr" not in key and isinstance(value, float)
    }


def test_every_question_is_scored_once(tmp_path: Path) -> None:
    """Every question is in the samples once and the mean is theirs."""
    results, _ = torchrun(tmp_path, "random_choice", "scifibench_demo")
    samples = samples_of(tmp_path, "scifibench_demo")
    assert sorted(int(sample["accuracy"]["id"]) for sample in samples) == list(range(24))
    hits = sum(sample["score"] for sample in samples)
    assert results["scifibench_demo"]["accuracy,none"] == pytest.approx(hits / 24)


def test_values_are_those_of_one_process(
    tmp_path: Path, evaluate: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text metrics, L3Score and figures shown alone: every number is the same, and no answer is
    judged twice.
    """
    with OpenAIServer(Behaviour(latency=0.05)) as server:
        for name, value in judge_at(server).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "one"))
        one = evaluate("caption_retrieval", list(TASKS))
        alone = asked(server)
        server.requests.clear()
        two, said = torchrun(
            tmp_path, "caption_retrieval", ",".join(TASKS), SPIQA_TASKS_CACHE=str(tmp_path / "two")
        )
        together = asked(server)
    lines = [line for line in said.splitlines() if line.startswith("Judge openai:judge: ")]
    assert len(lines) >= 2  # of each process
    for task in TASKS:
        expected = numbers(one["results"][task])
        assert expected["l3score,none"] == expected["l3score,none"]
        assert numbers(two[task]) == pytest.approx(expected, nan_ok=True)
    assert together == alone
    assert set(together.values()) == {1}
    records = [sample["l3score"] for sample in samples_of(tmp_path, "spiqa_demo")]
    assert len({record["id"] for record in records}) == len(records) == QUESTIONS
    assert {record["status"] for record in records} == {"ok"}
    scores = [record["scores"]["l3score"] for record in records]
    assert two["spiqa_demo"]["l3score,none"] == pytest.approx(sum(scores) / QUESTIONS)


def asked(server: OpenAIServer) -> Counter[str]:
    """Return how often the judge was asked each question, without the test questions, which each
    process may ask.
    """
    prompts = [request["body"]["messages"][-1]["content"] for request in server.requests]
    return Counter(prompt for prompt in prompts if "colour is the sky" not in prompt)


def test_failing_judge_withholds_the_number_and_says_why(tmp_path: Path) -> None:
    """The judge refuses answers of both processes: NaN, the share that failed, and the reason in
    every sample.
    """
    with OpenAIServer(Behaviour(script=["ok"] * 4 + ["ok", "400"] * 8)) as server:
        values = torchrun(tmp_path, "caption_retrieval", "spiqa_demo", **judge_at(server))[0][
            "spiqa_demo"
        ]
    records = [sample["l3score"] for sample in samples_of(tmp_path, "spiqa_demo")]
    failed = [record for record in records if record["status"] == "judge_failed"]
    assert len(failed) >= 8
    assert all("400" in record["reason"] and "l3score" not in record["scores"] for record in failed)
    assert values["l3score,none"] != values["l3score,none"]
    assert values["judge_failed_rate,none"] == pytest.approx(len(failed) / QUESTIONS)
    assert values["rouge_l,none"] > 0
