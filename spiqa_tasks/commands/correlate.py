"""`correlate`: L3Score against the text metrics."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.agreement import correlations
from spiqa_tasks.commands.run_arguments import add_runs, named_runs
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Columns, Table, add_format, as_records, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per run and metric; 3 where a run had to be left out."""
    rows, left_out = correlations(named_runs(arguments))
    say(*left_out)
    labels: Columns = ["model", "task", "metric", Column("correlated_with", "with"), "judge"]
    print(render(arguments.format, Table(as_records(rows), labels, ["n", Column("spearman", "Spearman", _rho)])))
    return 3 if left_out else 0


def _rho(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
