"""What the commands on runs of our tasks share: the arguments, the runs that they name, the table of what comes out."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from spiqa_tasks.analysis.own_runs import OwnRun, own_runs
from spiqa_tasks.printable import say
from spiqa_tasks.scoring.units import percent, without_nan

SHARES = {"value", "accuracy", "low", "high", "control", "change", "mean", "sd", "range"}
METRIC = "the metric (default: the task's headline, or the first metric that the run has)"


def add_command(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, metric: str = METRIC
) -> argparse.ArgumentParser:
    """Add a subcommand with the arguments that all of these have, and return its parser."""
    result: argparse.ArgumentParser = subparsers.add_parser(name, help=about)
    result.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="result files or folders of lmms-eval")
    result.add_argument("--task", action="append", default=[], help="only this task; may be given several times")
    result.add_argument("--metric", help=metric)
    result.add_argument("--json", action="store_true", help="machine-readable, shares from 0 to 1")
    result.set_defaults(run=run)
    return result


def named_runs(arguments: argparse.Namespace) -> list[OwnRun]:
    """Return the runs that the arguments name; what is to be said about others goes to stderr.

    Raises:
        InputError: see `own_runs`.
    """
    runs, remarks = own_runs(arguments.runs, arguments.task)
    say(*remarks)
    return runs


def show(arguments: argparse.Namespace, items: Sequence[Any], columns: Sequence[str]) -> int:
    """Print dataclasses as JSON with all fields, or as a table of `columns` with shares times 100; return 0."""
    rows = [dataclasses.asdict(item) for item in items]
    if arguments.json:
        print(json.dumps(without_nan(rows), indent=2))
    else:
        table = [[_cell(column, row[column]) for column in columns] for row in rows]
        print(tabulate(table, headers=columns, disable_numparse=True))
    return 0


def _cell(column: str, value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}:{percent(share)}" for key, share in value.items())
    if column == "variance":
        return f"{100 * value:.3f}"
    if column in SHARES:
        return "-" if math.isnan(value) else percent(value)
    return str(value)
