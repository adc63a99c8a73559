"""`alignment`: the change of accuracy where a caption is marked (SciFIBench section 4.7)."""

from __future__ import annotations

import argparse
from typing import Any

from spiqa_tasks.commands.run_arguments import add_command, named_runs, show

COLUMNS = ("model", "split", "mark", "ignore", "n", "control", "accuracy", "change", "low", "high")


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    add_command(subparsers, "alignment", run, "change of accuracy where a caption is marked, with paired intervals")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per marked task.

    Raises:
        InputError: no such runs or metric, no marked task, or one without its control.
    """
    from spiqa_tasks.analysis.comparisons import alignment

    return show(arguments, alignment(named_runs(arguments), arguments.metric), COLUMNS)
