"""`alignment`: the change of accuracy where a caption is marked (SciFIBench section 4.7)."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.alignment import alignment, summary
from spiqa_tasks.commands.run_arguments import add_analysis, measured_runs
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.scoring.units import number

_LABELS = ("model", "split", "mark", "ignore")
_CHANGE = Column("change", show=number, more=("low", "high"))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser)
    told = "how far `ignore` returns to the control, and how often a wrong mark is followed"
    parser.add_argument("--summary", action="store_true", help=told)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per marked task, or what sums them up."""
    runs = measured_runs(arguments)
    if not arguments.summary:
        values: Columns = ["n", *(Column(name, show=number) for name in ("control", "accuracy")), _CHANGE, "questions"]
        print(render(arguments.format, Table(as_records(alignment(runs, arguments.metric)), _LABELS, values)))
        return 0
    measures = summary(runs, arguments.metric)
    say(*(f"{each.measure} of {each.model}, {each.split}: {each.why_not}." for each in measures if each.why_not))
    values = ["n", Column("value", show=number, more=("low", "high")), "questions"]
    print(render(arguments.format, Table(as_records(measures), [*_LABELS, "measure"], values)))
    return 0
