"""`demo`: the main job on the shipped data, as one would do it with a model of one's own."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.judge.overlap_server import MODEL, overlap_judge

RUNS = (
    ("ocr_baseline", ("spiqa_demo", "mmstar_demo", "scifibench_demo", "scifibench_demo_text")),
    ("caption_retrieval", ("spiqa_demo",)),
)
"""(baseline, tasks): the first one reads pictures; the second one, of SPIQA, only captions."""

ABOUT = f"""\
ocr_baseline reads the text in the pictures (RapidOCR) and picks what shares most words with it; caption_retrieval picks
the caption nearest to the question. Neither understands anything. The judge {MODEL} counts common words: its L3Score
shows how a judged run looks, and is no result.
"""
NEXT = """\
With a model and a judge of your own:

  export OPENAI_API_KEY=...          # the judge of L3Score, gpt-4o by default; SPIQA_JUDGE names another one
  lmms-eval --model qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-7B-Instruct \\
      --tasks spiqa_testA,mmstar_filtered,mmstar_filtered_text,scifibench --output_path out --log_samples
  spiqa-tasks gain out
  spiqa-tasks report out
"""


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    demo = subparsers.add_parser("demo", help="run lmms-eval on the shipped demo data with two baselines (no network)")
    demo.add_argument("--output", type=Path, default=Path("demo_out"), help="where results go (default: demo_out)")
    demo.add_argument(
        "--serve-judge", action="store_true", help=f"only start the judge {MODEL}, and leave it running to play with"
    )
    demo.add_argument("--port", type=int, default=0, help="of the judge (default: a free one)")
    demo.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the baselines on the demo data with a judge server, then the analyses, and print what to type next.

    Raises:
        InputError: the judge's port is taken.
        SpiqaTasksError: the host wrote no results.
        MissingPartError: a part that it runs is not installed.
    """
    with overlap_judge(arguments.port) as url:
        return _serve(url) if arguments.serve_judge else _walk(arguments.output, url)


def _serve(url: str) -> int:
    variables = _variables(url)
    print("\n".join(f"export {name}={value}" for name, value in variables.items()))
    print(f"# The judge {MODEL} listens until Ctrl-C; it counts common words and is no judge for results.", flush=True)
    threading.Event().wait()
    return 0


def _variables(url: str) -> dict[str, str]:
    return {"SPIQA_JUDGE": f"openai:{MODEL}", "SPIQA_JUDGE_BASE_URL": url}


def _walk(output: Path, url: str) -> int:
    from spiqa_tasks.commands import compare, gain, report

    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for command in (gain, compare, report):
        command.add(subparsers)
    for extra in ("lmms-eval", "ocr", "report"):
        require(extra, "The demo")
    for name, value in _variables(url).items():
        _show(["export", f"{name}={value}"])
    for model, tasks in RUNS:
        _run_host(model, tasks, output, _variables(url))
    for arguments in (
        ["gain", str(output), "--task", "scifibench_demo"],
        ["compare", str(output), "--task", "spiqa_demo"],
        ["report", str(output), "--html", str(output / "report.html")],
    ):
        _show(["spiqa-tasks", *arguments])
        analysis = parser.parse_args(arguments)
        analysis.run(analysis)
    print(f"\n{ABOUT}\n{NEXT}", end="")
    return 0


def _run_host(model: str, tasks: tuple[str, ...], output: Path, variables: Mapping[str, str]) -> None:
    """Run the host's own command, its output as it comes."""
    from spiqa_tasks.hosts.lmms_eval.results import latest_run

    folder = output / model
    arguments = ["--model", model, "--tasks", ",".join(tasks), "--output_path", str(folder), "--log_samples"]
    _show(["lmms-eval", *arguments])
    before = latest_run(folder)
    subprocess.run([sys.executable, "-m", "lmms_eval", *arguments], env={**os.environ, **variables}, check=False)
    found = latest_run(folder)
    fresh = found is not None and (before is None or found.path != before.path)
    if found is None or not fresh or set(tasks) - set(found.tasks):
        raise SpiqaTasksError(f"Expected results of {', '.join(tasks)} in {folder}, found none. See the lines above.")


def _show(command: list[str]) -> None:
    print(f"\n$ {shlex.join(command)}", flush=True)
