"""`compare`: runs of the same tasks against each other."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from spiqa_tasks.printable import say
from spiqa_tasks.scoring.units import without_nan


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("compare", help="paired differences of runs, with intervals and p-values")
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="result files or folders of lmms-eval or of score --output"
    )
    parser.add_argument("--task", action="append", default=[], help="only this task; may be given several times")
    parser.add_argument("--metric", help="the metric (default: the task's headline)")
    parser.add_argument("--json", action="store_true", help="machine-readable, natural units, with ids won and lost")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task.

    Raises:
        InputError: no two runs of one task.
    """
    from spiqa_tasks.analysis.compare import compared_places
    from spiqa_tasks.report.markdown import as_text
    from spiqa_tasks.report.tables import comparison_table

    found, remarks = compared_places(arguments.runs, arguments.task, arguments.metric)
    say(*remarks)
    if arguments.json:
        print(json.dumps(without_nan([dataclasses.asdict(each) for each in found]), indent=1, ensure_ascii=False))
    else:
        print(as_text(comparison_table(found)))
    return 0
