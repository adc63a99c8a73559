"""`spread`: accuracy over orders of the options and over seeds (SciFIBench section 4.2, Figure 6)."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from spiqa_tasks.analysis.comparisons import spread
from spiqa_tasks.commands.run_arguments import add_analysis, measured_runs
from spiqa_tasks.report.printer import Column, Table, as_records, render
from spiqa_tasks.scoring.units import number, percent


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser)
    told = "a setting that the tasks differ by instead, such as resolution"
    parser.add_argument("--over", metavar="SETTING", help=told)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per model, split and what varies."""
    rows = spread(measured_runs(arguments), arguments.metric, arguments.over)
    values = [Column("accuracies", show=_each), *(Column(name, show=number) for name in ("mean", "sd", "range"))]
    labels = ["model", "split", "settings", "over"]
    print(render(arguments.format, Table(as_records(rows), labels, [*values, "questions"])))
    return 0


def _each(accuracies: Mapping[int | str, float]) -> str:
    return " ".join(f"{key}:{percent(share)}" for key, share in accuracies.items())
