"""`demo`: two baselines on the shipped data, then the commands that one would call with a model."""

import argparse
import contextlib
import io
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from spiqa_tasks.commands import compare, gain, report
from spiqa_tasks.demo.judge_server import MODEL, overlap_judge
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval.command_line import watched
from spiqa_tasks.hosts.lmms_eval_files import read_results, result_files

RUNS = (
    ("ocr_baseline", ("spiqa_demo", "mmstar_demo", "scifibench_demo", "scifibench_demo_text")),
    ("caption_retrieval", ("spiqa_demo",)),
)
"""(baseline, tasks): the first reads pictures; the second, run at the same time, only captions."""

NEXT = f"""
Neither baseline understands anything; the judge {MODEL} counts common words, so its L3Score is no result.

Next, with a model of your own and OPENAI_API_KEY for the judge (SPIQA_JUDGE names another one than gpt-4o), run
`lmms-eval --model qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-7B-Instruct --tasks \\
    spiqa_testA,mmstar_filtered,mmstar_filtered_text,scifibench --output_path out --log_samples`.
Then `spiqa-tasks gain out` and `spiqa-tasks report out` conclude from its answers as above.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--output", type=Path, default=Path("demo_out"), help="where results go (default: demo_out)"
    )
    parser.add_argument(
        "--serve-judge",
        action="store_true",
        help=f"only start the judge {MODEL}, and leave it running to play with",
    )
    parser.add_argument("--port", type=int, default=0, help="of the judge (default: a free one)")


def run(arguments: argparse.Namespace) -> int:
    """Run the baselines on the demo data with a judge server, then the analyses; print the next commands to try."""
    with overlap_judge(arguments.port) as url:
        judge = {"SPIQA_JUDGE": f"openai:{MODEL}", "SPIQA_JUDGE_BASE_URL": url}
        if arguments.serve_judge:
            print("\n".join(f"export {name}={value}" for name, value in judge.items()))
            print(f"# The judge {MODEL} listens until Ctrl-C; it counts common words.", flush=True)
            threading.Event().wait()
        _walk(arguments.output, judge)
    return 0


def _walk(output: Path, judge: Mapping[str, str]) -> None:
    for extra in ("lmms-eval", "ocr", "report"):
        require(extra, "The demo")
    for name, value in judge.items():
        _show(["export", f"{name}={value}"])
    _run_hosts(output, {**os.environ, **judge})
    for command, arguments, head in (
        (
            gain,
            [str(output), "--task", "scifibench_demo"],
            3,
        ),  # the row of all questions, of one for each group
        (compare, [str(output), "--task", "spiqa_demo"], 4),
        (report, [str(output), "--html", str(output / "report.html")], None),
    ):
        _show(
            ["spiqa-tasks", command.__name__.rpartition(".")[2], *arguments],
            f" | head -{head}" if head else "",
        )
        parser = argparse.ArgumentParser()
        command.add(parser)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            command.run(parser.parse_args(arguments))
        print("\n".join(printed.getvalue().splitlines()[:head]), flush=True)
    print(NEXT, end="")


def _run_hosts(output: Path, environment: Mapping[str, str]) -> None:
    started = time.time()
    output.mkdir(parents=True, exist_ok=True)
    processes = []
    for model, tasks in RUNS:
        log = output / f"{model}.log"
        arguments = ["--model", model, "--tasks", ",".join(tasks)]
        arguments += ["--output_path", str(output / model), "--log_samples"]
        _show(["lmms-eval", *arguments], f" >{log} 2>&1 &")
        with log.open("wb") as file:
            command = [sys.executable, "-m", "lmms_eval", *arguments]
            processes.append(subprocess.Popen(command, env=environment, stdout=file, stderr=file))
    print("Both answer 150 shipped questions now, which takes a minute or two ...", flush=True)
    for process, (model, _) in zip(processes, RUNS, strict=True):
        watched(process, output / f"{model}.log", model)
    for model, tasks in RUNS:
        files = [path for path in result_files(output / model) if path.stat().st_mtime >= started]
        if not files or set(tasks) - {task.name for task in read_results(files[-1]).tasks}:
            raise SpiqaTasksError(
                f"Expected results of {', '.join(tasks)} in {output / model}, found none. See {output / model}.log."
            )


def _show(command: list[str], behind: str = "") -> None:
    print(f"$ {shlex.join(command)}{behind}", flush=True)
