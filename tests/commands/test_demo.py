"""`spiqa-tasks demo`: the judge that it serves, what it refuses, and once the whole walk."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest
import yaml
from host_files import write_demo_run, write_run

from spiqa_tasks import printable
from spiqa_tasks.cli import main
from spiqa_tasks.commands import demo
from spiqa_tasks.commands.demo import RUNS

COMMAND = [sys.executable, "-m", "spiqa_tasks.cli", "demo"]
PROMPT = "Ground-truth answer: the red line\nCandidate answer: the red line\n"


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch, host: None) -> None:  # noqa: ARG001 - the demo refuses to start without it
    """Replace Python, which runs lmms-eval, by `true`: no answers are written."""
    program = shutil.which("true")
    assert program is not None
    monkeypatch.setattr(sys, "executable", program)


def test_an_analysis_runs_without_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo calls a command as it prints it, and has its status."""
    for name in "ab":
        write_demo_run(tmp_path / name, name, lambda _, row: row["answer"])
    assert demo._analyse(demo.compare, [str(tmp_path)]) == 0
    assert f"$ spiqa-tasks compare {tmp_path}" in capsys.readouterr().out
    (broken,) = (tmp_path / "a").rglob("*_samples_*.jsonl")
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    broken.write_text("{broken")
    assert demo._analyse(demo.compare, [str(tmp_path)]) == 3


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("statuses", "worst"), [([0, 0, 0], 0), ([3, 0, 0], 3), ([0, 3, 2], 3)])
def test_the_demo_ends_as_its_analyses_do(
    statuses: list[int], worst: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its status is the worst of theirs."""
    results(tmp_path, 60)
    left = iter(statuses)
    monkeypatch.setattr(demo, "_analyse", lambda *_: next(left))
    assert main(["demo", "--output", str(tmp_path)]) == worst


def test_the_judge_is_served_until_it_is_interrupted() -> None:
    """It prints what to export, answers a chat completion at that address, and ends by Ctrl-C."""
    process = subprocess.Popen(
        [*COMMAND, "--serve-judge"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(
            signal.signal, signal.SIGINT, signal.SIG_DFL
        ),  # ignored in jobs of a background shell
    )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline().split() for _ in range(2)]
        assert "Ctrl-C" in process.stdout.readline()
        assert [line[0] for line in lines] == ["export", "export"]
        variables = dict(line[1].split("=", 1) for line in lines)
        assert variables["SPIQA_JUDGE"] == "openai:demo-overlap"
        body = {
            "model": "demo-overlap",
            "messages": [{"role": "user", "content": PROMPT}],
            "logprobs": True,
        }
        url = f"{variables['SPIQA_JUDGE_BASE_URL']}/chat/completions"
        with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=30) as answer:
            assert json.load(answer)["choices"][0]["message"]["content"] == "Yes"
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, rest) == (130, "")
    assert errors == "spiqa-tasks: interrupted; what was finished is kept.\n"


def results(folder: Path, seconds: float, leave_out: str = "") -> None:
    """Write results of both baselines as of `seconds` from now, without the task `leave_out`."""
    for model, tasks in RUNS.items():
        path = write_run(
            folder / model / "x", model, {task: [] for task in tasks if task != leave_out}
        )
        os.utime(path, times=(time.time() + seconds,) * 2)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("left", ["nothing", "an older run", "a run without one task"])
def test_a_host_that_writes_no_results_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], left: str
) -> None:
    """Results of an earlier demo, or of a part of the tasks, are none; the command was shown,
    the log is named.
    """
    output = tmp_path / "out"
    if left != "nothing":
        results(
            output,
            **(
                {"seconds": -60}
                if left == "an older run"
                else {"seconds": 60, "leave_out": "mmstar_demo"}
            ),
        )
    assert main(["demo", "--output", str(output)]) == 2
    printed = capsys.readouterr()
    tasks = ", ".join(RUNS["ocr_baseline"])
    assert (
        printed.err
        == f"spiqa-tasks: Expected results of {tasks} in {output / 'ocr_baseline'}, found none. "
        f"See {output / 'lmms_eval.log'}.\n"
    )
    shown = [line.split()[1:3] for line in printed.out.splitlines() if line.startswith("$ ")]
    assert shown == [
        ["export", "SPIQA_JUDGE=openai:demo-overlap"],
        shown[1],
        ["lmms-eval", "--config"],
    ]
    assert (output / "lmms_eval.log").read_bytes() == b""


@pytest.mark.usefixtures("idle")
def test_one_process_of_the_host_runs_both_baselines(tmp_path: Path) -> None:
    """Its configuration has the model, the tasks and the folder of each."""
    output = tmp_path / "out"
    assert main(["demo", "--output", str(output)]) == 2
    runs = yaml.safe_load((output / "runs.yaml").read_text(encoding="utf-8"))
    assert {run["model"]: tuple(run["tasks"].split(",")) for run in runs} == RUNS
    assert [run["output_path"] for run in runs] == [str(output / model) for model in RUNS]
    assert all(run["log_samples"] for run in runs)


def found_by_task(output: Path, task: str) -> float:
    """Return the accuracy of `ocr_baseline` on a task, as lmms-eval reports it."""
    (path,) = (output / "ocr_baseline").rglob("*_results.json")
    return float(json.loads(path.read_text())["results"][task]["accuracy,none"])


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_whole_demo_runs(tmp_path: Path) -> None:
    """Every task has results; gain, comparison, report and what to type next are printed, in 40
    lines at most.
    """
    output = tmp_path / "out"
    done = subprocess.run(
        [*COMMAND, "--output", str(output)], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    for model, tasks in RUNS.items():
        (path,) = (output / model).rglob("*_results.json")
        found = json.loads(path.read_text())["results"]
        assert set(tasks) <= found.keys()
        assert all(
            (path.parent / path.name.replace("results.json", f"samples_{task}.jsonl")).is_file()
            for task in tasks
        )
        judged = found["spiqa_demo"]["l3score,none"]
        assert 0 < judged < 1
    told = done.stdout
    lines = (told + done.stderr).splitlines()
    assert len(lines) <= 40
    assert (
        told.splitlines().index(next(line for line in told.splitlines() if line.startswith("----")))
        < 15
    )
    assert not [line for line in lines if "Generating" in line or "INFO" in line]
    commands = [f"spiqa-tasks {name} {output}" for name in ("gain", "compare", "report")]
    places = [told.index(text) for text in (*commands, "Next, with a model of your own")]
    assert places == sorted(places)
    gain, compare, report = (told[start:end] for start, end in itertools.pairwise(places))
    rows = [
        line.split()
        for line in gain.splitlines()
        if line.startswith("scifibench_demo") and " all " in line
    ]
    with_images, without = (
        found_by_task(output, task) for task in ("scifibench_demo", "scifibench_demo_text")
    )
    assert rows[0][5:8] == ["24", f"{100 * with_images:.1f}", f"{100 * without:.1f}"]
    assert any(f"{100 * (with_images - without):.1f}" in row for row in rows)
    assert any(
        line.startswith("spiqa_demo") and "caption_retrieval" in line
        for line in compare.splitlines()
    )
    assert str(output / "report.html") in report
    page = (output / "report.html").read_text(encoding="utf-8")
    assert page.count('class="plot"') > 3


def test_the_hosts_time_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It takes a minute, of which its log alone says anything."""
    host = tmp_path / "python"
    host.write_text("#!/bin/sh\nsleep 0.5\n")
    host.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(host))
    monkeypatch.setattr(printable, "SLOW", 0.1)
    demo._run_host(tmp_path / "out", {})
    assert capsys.readouterr().err == "spiqa-tasks: lmms-eval ... 00:00\n"
