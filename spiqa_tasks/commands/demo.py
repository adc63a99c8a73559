"""`demo`: two baselines on the shipped data, then the commands that one would call with a model."""

import argparse
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import yaml

from spiqa_tasks.commands import compare, gain, report
from spiqa_tasks.demo.judge_server import MODEL, overlap_judge
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval_files import read_results, result_files
from spiqa_tasks.printable import progress

# Baseline model -> its tasks. The first one reads pictures, the second captions alone.
RUNS = {
    "ocr_baseline": ("spiqa_demo", "mmstar_demo", "scifibench_demo", "scifibench_demo_text"),
    "caption_retrieval": ("spiqa_demo",),
}

# Files in the demo's folder: lmms-eval's runs, and its output.
CONFIG = "runs.yaml"
LOG = "lmms_eval.log"

NEXT_STEPS = f"""
Neither baseline understands anything. The judge {MODEL} counts common words: its L3Score is no
result.

Next, with a model of your own and OPENAI_API_KEY for the judge (SPIQA_JUDGE names another one than
gpt-4o), run
`lmms-eval --model qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-7B-Instruct --tasks \\
    spiqa_testA,mmstar_filtered,mmstar_filtered_text,scifibench --output_path out --log_samples`.
Then `spiqa-tasks gain out` and `spiqa-tasks report out` conclude from its answers as above.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo_out"),
        metavar="FOLDER",
        help="folder of the results (default: demo_out)",
    )
    parser.add_argument(
        "--serve-judge",
        action="store_true",
        help=f"start the judge {MODEL} alone, to try things with, until Ctrl-C",
    )
    parser.add_argument(
        "--port", type=int, default=0, help="port of the judge (default: a free one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the demo, or with `--serve-judge` its judge alone."""
    with overlap_judge(arguments.port) as url:
        judge = {"SPIQA_JUDGE": f"openai:{MODEL}", "SPIQA_JUDGE_BASE_URL": url}
        if arguments.serve_judge:
            print("\n".join(f"export {name}={value}" for name, value in judge.items()))
            print(f"# The judge {MODEL} listens until Ctrl-C; it counts common words.", flush=True)
            threading.Event().wait()
        return _run_demo(arguments.output, judge)


def _run_demo(output: Path, judge: Mapping[str, str]) -> int:
    """Run the baselines, then analyse their answers; return the worst status of the analyses.

    `judge` has the environment variables that name the judge.
    """
    for extra in ("lmms-eval", "ocr", "report"):
        require(extra, "The demo")
    for name, value in judge.items():
        _show(["export", f"{name}={value}"])

    started = time.time()
    _run_host(output, {**os.environ, **judge})
    _require_results(output, started)

    statuses = [
        _analyse(gain, [str(output), "--task", "scifibench_demo"]),
        _analyse(compare, [str(output), "--task", "spiqa_demo"]),
        _analyse(report, [str(output), "--html", str(output / "report.html")]),
    ]
    print(NEXT_STEPS, end="")
    return max(statuses)


def _run_host(output: Path, environment: Mapping[str, str]) -> None:
    """Run both baselines in one process of lmms-eval: its start takes longer than their answers."""
    output.mkdir(parents=True, exist_ok=True)
    runs = [
        {
            "model": model,
            "tasks": ",".join(tasks),
            "output_path": str(output / model),
            "log_samples": True,
        }
        for model, tasks in RUNS.items()
    ]

    config = output / CONFIG
    config.write_text(yaml.safe_dump(runs, sort_keys=False), encoding="utf-8")
    arguments = ["--config", str(config)]
    log = output / LOG
    _show(["lmms-eval", *arguments], f" >{log} 2>&1")
    print(f"{' and '.join(RUNS)} answer 150 questions, which takes about a minute ...", flush=True)

    command = [sys.executable, "-m", "lmms_eval", *arguments]
    with log.open("wb") as file, progress("lmms-eval"):
        subprocess.run(command, env=environment, stdout=file, stderr=file, check=False)


def _require_results(output: Path, started: float) -> None:
    """Raise SpiqaTasksError unless each baseline has results of all its tasks.

    Only files since `started`, seconds since 1970, count. lmms-eval's exit status is 0 even if an
    evaluation failed.
    """
    for model, tasks in RUNS.items():
        files = [path for path in result_files(output / model) if path.stat().st_mtime >= started]
        scored = {task.name for task in read_results(files[-1]).tasks} if files else set()
        if not scored.issuperset(tasks):
            raise SpiqaTasksError(
                f"Expected results of {', '.join(tasks)} in {output / model}, found none. "
                f"See {output / LOG}."
            )


def _analyse(command: ModuleType, arguments: list[str]) -> int:
    """Print a command's line and run the command; return its exit status, as `cli.main` does."""
    _show(["spiqa-tasks", command.__name__.rpartition(".")[2], *arguments])
    parser = argparse.ArgumentParser()
    command.add(parser)
    parsed = parser.parse_args(arguments)
    status: int = command.run(parsed)
    return 3 if status == 0 and parsed.left_out else status


def _show(command: list[str], redirection: str = "") -> None:
    """Print the line that a person would type for a command."""
    print(f"$ {shlex.join(command)}{redirection}", flush=True)
