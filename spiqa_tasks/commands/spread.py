"""`spread`: accuracy over orders of the options and over seeds (SciFIBench section 4.2, Figure 6)."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.comparisons import spread
from spiqa_tasks.commands.run_arguments import add_analysis, measured_runs, show


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser)
    told = "a setting that the tasks differ by instead, such as resolution"
    parser.add_argument("--over", metavar="SETTING", help=told)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per model, split and what varies."""
    return show(arguments, spread(measured_runs(arguments), arguments.metric, arguments.over))
