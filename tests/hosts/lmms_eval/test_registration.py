"""What registration costs and where it works, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
from spiqa_tasks import plugin
plugin.index_tasks()
seconds = time.perf_counter() - start
heavy = {"torch", "datasets", "transformers", "lmms_eval", "numpy"} & (set(sys.modules) - before)
print(seconds, sorted(heavy))
"""


def test_registration_is_cheap_and_imports_nothing_heavy() -> None:
    """Hooking into the host takes under 100 ms and loads neither torch nor datasets nor the host."""
    runs = [subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True).stdout for _ in range(3)]
    seconds = min(float(run.split()[0]) for run in runs)
    assert seconds < 0.1
    assert all(run.split(" ", 1)[1].strip() == "[]" for run in runs)


def test_bare_tasks_list_shows_our_tasks() -> None:
    """`lmms-eval tasks list`, which loads no models, finds the tasks all the same."""
    command = [str(Path(sys.executable).with_name("lmms-eval")), "tasks", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {"spiqa_testA", "mmstar_filtered", "scifibench"} <= set(listed)


@pytest.mark.slow
def test_two_processes_score_every_question_once(tmp_path: Path) -> None:
    """Under torchrun with two processes every question is in the samples once and the mean is theirs."""
    import json

    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "lmms_eval"]
    command += ["--model", "random_choice", "--tasks", "scifibench_demo", "--output_path", str(tmp_path)]
    subprocess.run([*command, "--log_samples"], check=True, capture_output=True)
    samples = [json.loads(line) for line in next(tmp_path.rglob("*samples*")).read_text().splitlines()]
    results = json.loads(next(tmp_path.rglob("*results.json")).read_text())
    assert sorted(int(sample["accuracy"]["id"]) for sample in samples) == list(range(24))
    hits = sum(sample["accuracy"]["score"] for sample in samples)
    assert results["results"]["scifibench_demo"]["accuracy,none"] == pytest.approx(hits / 24)
