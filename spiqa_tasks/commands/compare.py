"""`compare`: runs of the same tasks against each other."""

from __future__ import annotations

import argparse
import dataclasses

from spiqa_tasks.analysis.compare import compared
from spiqa_tasks.commands.run_arguments import add_analysis, runs_by_path
from spiqa_tasks.printable import say
from spiqa_tasks.report.forms import STYLES, rendered
from spiqa_tasks.report.tables import as_text, comparison_table


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser, "the metric (default: the task's headline)")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; 3 where a run had to be left out."""
    runs, _ = runs_by_path(arguments)
    found, left_out = compared(runs, arguments.metric)
    say(*left_out)
    if arguments.format in STYLES:
        print(as_text(comparison_table(found), arguments.format))
    else:
        print(rendered(arguments.format, [dataclasses.asdict(each) for each in found]))
    return 3 if left_out else 0
