"""`alignment`: the change of accuracy where a caption is marked (SciFIBench section 4.7)."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.alignment import alignment, summary
from spiqa_tasks.commands.run_arguments import add_analysis, measured_runs, show
from spiqa_tasks.printable import say

SUMMARY = ("model", "split", "mark", "ignore", "measure", "n", "value", "low", "high", "questions")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser)
    told = "how far `ignore` returns to the control, and how often a wrong mark is followed"
    parser.add_argument("--summary", action="store_true", help=told)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per marked task, or what sums them up."""
    runs = measured_runs(arguments)
    if not arguments.summary:
        return show(arguments, alignment(runs, arguments.metric))
    measures = summary(runs, arguments.metric)
    say(*(f"{each.measure} of {each.model}, {each.split}: {each.why_not}." for each in measures if each.why_not))
    return show(arguments, measures, SUMMARY)
