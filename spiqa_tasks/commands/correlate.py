"""`correlate`: L3Score against the text metrics."""

from __future__ import annotations

import argparse
import dataclasses

from spiqa_tasks.analysis.agreement import correlations
from spiqa_tasks.commands.run_arguments import add_runs, named_runs
from spiqa_tasks.printable import say
from spiqa_tasks.report.forms import add_format, rendered


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per run and metric; 3 where a run had to be left out."""
    rows, left_out = correlations(named_runs(arguments))
    say(*left_out)
    cells = [
        [row.model, row.task, row.metric, row.correlated_with, row.judge, row.n, rho]
        for row in rows
        for rho in ["-" if row.spearman is None else f"{row.spearman:.2f}"]
    ]
    headers = ["model", "task", "metric", "with", "judge", "n", "Spearman"]
    print(rendered(arguments.format, [dataclasses.asdict(row) for row in rows], cells, headers))
    return 3 if left_out else 0
