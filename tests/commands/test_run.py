"""`spiqa-tasks run`: what it prints and refuses, runs that fail, and once all of it, killed in between."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from mmstar_release import write_release
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks.registry import load_rows, yaml_folder
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.cli import main

GAIN = [
    "run",
    "gain",
    "--model",
    "m",
    "--model-args",
    "a=1,api_key=secret-key-1",
    "--tasks",
    "mmstar_demo",
]


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch, host: None) -> None:  # noqa: ARG001 - the experiment refuses to start without it
    """An interpreter that does nothing in the place of the one that runs the host."""
    program = shutil.which("true")
    assert program is not None
    monkeypatch.setattr(sys, "executable", program)


def test_the_commands_are_printed_for_a_shell(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each run that is missing, quoted, with the launcher and further arguments; nothing is made."""
    options = ["--llm", "n", "--launch", "accelerate launch", "--output", "my out", "--print"]
    assert main([*GAIN, *options, "--", "--gen_kwargs", "temperature=0, top_p=1"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [shlex.split(line)[:4] for line in lines] == [
        ["accelerate", "launch", "-m", "lmms_eval"]
    ] * 3
    assert [shlex.split(line)[-2:] for line in lines] == [
        ["--gen_kwargs", "temperature=0, top_p=1"]
    ] * 3
    tasks = [line.split("--tasks ")[1].split()[0] for line in lines]
    assert tasks == ["mmstar_demo", "mmstar_demo_text", "mmstar_demo_llm"]
    assert last.startswith("#")
    assert not Path("my out").exists()


def test_the_judge_of_the_printed_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """It is exported before them; one that is none is refused."""
    words = [
        "run",
        "spiqa",
        "--tasks",
        "spiqa_demo",
        "--model",
        "m",
        "--output",
        "out",
        "--print",
        "--judge",
    ]
    assert main([*words, "openai:gpt-4o"]) == 0
    assert capsys.readouterr().out.startswith("export SPIQA_JUDGE=openai:gpt-4o\n")
    assert main([*words, "nobody"]) == 2


@pytest.mark.usefixtures("idle")
def test_a_run_without_results_is_told_and_the_others_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Status 3, the end of the log without the key, and why there is no table; the plan has no key either."""
    launch = "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo line $i; done; echo secret-key-1; exit 1' --"
    assert main([*GAIN, "--output", "out", "--launch", launch]) == 3
    printed = capsys.readouterr()
    assert "mmstar_demo_text  m,a=1" in printed.err
    assert [line for line in printed.err.splitlines() if "no results" in line] == [
        f"spiqa-tasks: {role}, {task}: no results (exit status 1). The end of {log}:"
        for role, task in (("pictures", "mmstar_demo"), ("text", "mmstar_demo_text"))
        for log in sorted(Path("out/logs").glob(f"{role}-*"))
    ]
    assert printed.err.count("  line 13\n  [key]\n") == 2
    assert "  line 3\n" in printed.err
    assert "  line 2\n" not in printed.err
    assert "secret-key" not in printed.err
    assert printed.err.endswith("spiqa-tasks: no tables and no page: no run has results.\n")
    assert not Path("out/report.html").exists()


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("none", "--include 'test-A/SPIQA_testA_Images.zip'"),
        ("openai:gpt-4o", "needs a key and none"),
    ],
)
def test_what_a_suite_lacks_is_said_before_a_host_is_started(
    judge: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Once for all of its runs: release files without pictures, or a judge without its key."""
    shipped = resources.files("spiqa_tasks.demo") / "spiqa"
    shutil.copytree(str(shipped), tmp_path / "spiqa")
    if judge == "none":
        (tmp_path / "spiqa" / "test-A" / "SPIQA_testA_Images.zip").unlink()
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    monkeypatch.setenv("SPIQA_JUDGE", judge)
    assert (
        main(
            [
                "run",
                "spiqa",
                "--model",
                "m",
                "--tasks",
                "spiqa_testA,spiqa_testA_cot",
                "--output",
                "out",
            ]
        )
        == 2
    )
    errors = capsys.readouterr().err
    assert errors.count(said) == 1
    assert not Path("out/logs").exists()


HOST = """
import sys
from pathlib import Path
sys.path[:0] = {path}
from host_files import choice_samples, write_run
from spiqa_tasks.benchmarks.signature import version
words = dict(zip(sys.argv, sys.argv[1:]))
task = words["--tasks"]
results = write_run(Path(words["--output_path"]), "m", {{task: choice_samples([True])}}, settings={{task: ""}})
(samples,) = results.parent.glob("*.jsonl")
samples.write_text(samples.read_text().replace('"data:', f'"spiqa-tasks:{{version("spiqa-tasks")}}|data:'))
"""
"""In the place of lmms-eval: results of a task, by the installed version."""


@pytest.mark.usefixtures("host")
def test_results_of_other_data_prompt_or_version_are_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence names both values; what did not change is not run again, nor is what was run before."""
    write_release(tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    file = tmp_path / "new" / "mmstar" / "mmstar.parquet"
    pq.write_table(pq.read_table(file).slice(1), file)
    yaml, shipped = (
        tmp_path / "tasks" / "mine.yaml",
        yaml_folder() / "mmstar" / "mmstar_filtered.yaml",
    )
    yaml.parent.mkdir()
    host = tmp_path / "host.py"
    host.write_text(HOST.format(path=sys.path))
    words = [
        "run",
        "scifibench",
        "--tasks",
        "mine",
        "--include-path",
        str(yaml.parent),
        "--model",
        "m",
    ]

    def said(data: str, dataset_name: str = "prompt=letter") -> list[str]:
        monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / data))
        yaml.write_text(f"include: {shipped}\ntask: mine\ndataset_name: {dataset_name}\n")
        main([*words, "--output", "out", "--launch", f"{sys.executable} {host}"])
        err = capsys.readouterr().err
        return [line for line in err.splitlines() if ": run again, " in line] + ["run"] * err.count(
            "run 1 of 1: "
        )

    assert [said("old"), said("old")] == [["run"], []]
    remark, ran = said("new")
    assert re.search(
        r"mine: run again, for earlier results differ in data \(mmstar/val@\w+, now mmstar/val@\w+\)\.$",
        remark,
    )
    assert ran == "run"
    assert said("old") == []
    remark, ran = said("old", "prompt=authors")
    assert re.search(
        r"differ in prompt \(\w{8}, now \w{8}\), settings \(prompt=letter,.*, now prompt=authors,",
        remark,
    )
    assert ran == "run"
    monkeypatch.setattr("spiqa_tasks.analysis.experiments.version", lambda _: "99")
    assert said("old")[0].endswith(f"differ in package ({version('spiqa-tasks')}, now 99).")


def letter(body: dict[str, Any]) -> str:
    """A with a picture, B without, C of the LLM base."""
    if body["model"] == "base":
        return "C"
    return "A" if "image_url" in json.dumps(body["messages"]) else "B"


def share(wanted: str) -> float:
    """The share of the demo questions whose answer is a letter."""
    answers = [row["answer"] for row in load_rows("mmstar", "demo", "prompt=letter")]
    return answers.count(wanted) / len(answers)


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_a_suite_that_is_killed_goes_on(tmp_path: Path) -> None:
    """The whole group is killed in its second run; called again, it asks each of 72 requests once, then none."""
    with OpenAIServer(
        Behaviour(text=letter, script=["ok"] * 24 + ["timeout"] * 1000, hang=600)
    ) as server:
        place = f"base_url={server.url},api_key=EMPTY,timeout=300"
        words = [
            sys.executable,
            "-m",
            "spiqa_tasks.cli",
            "run",
            "gain",
            "--tasks",
            "mmstar_demo",
            "--json",
        ]
        words += ["--model", "openai", "--model-args", f"model_version=tiny,{place}"]
        words += [
            "--llm",
            "openai",
            "--llm-args",
            f"model_version=base,{place}",
            "--output",
            str(tmp_path),
        ]
        first = subprocess.Popen(words, start_new_session=True, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 400
        while not (server.counts["ok"] == 24 and server.active):
            assert first.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
        server.behaviour.script = []
        done = subprocess.run(words, capture_output=True, text=True, timeout=500)
        assert (done.returncode, server.counts["ok"]) == (0, 72), done.stderr
        again = subprocess.run(words, capture_output=True, text=True, timeout=200)
    assert (again.returncode, again.stdout, server.counts["ok"]) == (0, done.stdout, 72)
    assert done.stderr.count("complete, 24 answers") == 1
    assert again.stderr.count("complete, 24 answers") == 3
    row = json.loads(done.stdout)[0]
    assert (row["s_v"], row["s_wv"], row["s_t"]) == pytest.approx(
        (share("A"), share("B"), share("C"))
    )
    leaks = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    assert len(leaks) == round(24 * (share("A") + share("B")))
    assert "mmstar_demo" in (tmp_path / "report.html").read_text(encoding="utf-8")
