"""`compare`: runs of the same tasks against each other."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.compare import compared
from spiqa_tasks.commands.run_arguments import add_analysis, runs_by_path
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import render
from spiqa_tasks.report.tables import comparison_table

MOST_PAIRS = 50
"""Pairs of runs that people are shown."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser, "the metric (default: the task's headline)")
    parser.add_argument("--baseline", metavar="MODEL", help="each run against this model's (default: all pairs)")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; 3 where a run had to be left out."""
    runs, _ = runs_by_path(arguments, "one")
    found, left_out = compared(runs, arguments.metric, arguments.baseline)
    say(*left_out)
    print(render(arguments.format, comparison_table(found, MOST_PAIRS)))
    return 3 if left_out else 0
