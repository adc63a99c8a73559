"""`spread`: the range of accuracy over orders of the options (SciFIBench section 4.2)."""

from __future__ import annotations

import argparse
from typing import Any

from spiqa_tasks.commands.run_arguments import add_command, named_runs, show


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    add_command(subparsers, "spread", run, "range of accuracy over orders of the options")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per model and split.

    Raises:
        InputError: no such runs or metric, or no model with a split in several orders.
    """
    from spiqa_tasks.analysis.comparisons import spread

    rows = spread(named_runs(arguments), arguments.metric)
    return show(arguments, rows, ("model", "split", "accuracies", "mean", "sd", "range"))
