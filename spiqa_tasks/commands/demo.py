"""`demo`: the host's own command line on the shipped data, with the baselines, and a table of what came out."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import require

RUNS = (("caption_retrieval", "spiqa_demo"), ("frequent_choice", "mmstar_demo,scifibench_demo"))
"""(baseline, tasks): SPIQA is free-form, the other two are choices."""


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    demo = subparsers.add_parser("demo", help="run lmms-eval on the shipped demo data with the baselines (no network)")
    demo.add_argument("--output", type=Path, default=Path("demo_out"), help="where results go (default: demo_out)")
    demo.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the baselines and print their overall metrics.

    Raises:
        SpiqaTasksError: the host wrote no results.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "The demo")
    from spiqa_tasks.analysis.tables import results_table
    from spiqa_tasks.hosts.lmms_eval.results import latest_run

    results = []
    for model, tasks in RUNS:
        output = arguments.output / model
        command = [sys.executable, "-m", "lmms_eval", "--model", model, "--tasks", tasks]
        command += ["--output_path", str(output), "--log_samples"]
        print("$ SPIQA_JUDGE=none", " ".join(["lmms-eval", *command[3:]]), flush=True)
        done = subprocess.run(command, env={**os.environ, "SPIQA_JUDGE": "none"}, capture_output=True, text=True)
        found = latest_run(output)
        if found is None or set(found.tasks) != set(tasks.split(",")):
            raise SpiqaTasksError(
                f"Expected results of {tasks} in {output}, found none:\n{(done.stdout + done.stderr)[-3000:]}"
            )
        results.append(found)
    print()
    print(results_table(results))
    print(f"\nThe samples and results are in {arguments.output}. L3Score needs a judge: see the README.")
    return 0
