"""`bootstrap`: mean and variance of the accuracy of resamples (SciFIBench section 4.4)."""

from __future__ import annotations

import argparse
import math

from spiqa_tasks.analysis.comparisons import bootstrap
from spiqa_tasks.commands.run_arguments import add_analysis, measured_runs
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.scoring.units import number


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser)
    parser.add_argument("--size", type=int, default=500, help="answers in a resample (default: 500)")
    parser.add_argument("--repeats", type=int, default=100_000, help="resamples (default: 100000)")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per task; the variance is that of the share, shown times 100 as the paper does."""
    given = (arguments.size, arguments.repeats, arguments.seed, arguments.metric)
    rows = [bootstrap(run, *given) for run in measured_runs(arguments)]
    values: Columns = [
        "n",
        "size",
        "repeats",
        Column("mean", show=number),
        Column("variance", show=_times_100),
        "questions",
    ]
    print(render(arguments.format, Table(as_records(rows), ["model", "task"], values)))
    return 0


def _times_100(variance: float) -> str:
    return "-" if math.isnan(variance) else f"{100 * variance:.3f}"
