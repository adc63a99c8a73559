"""`compare`: runs of the same tasks against each other."""

import argparse

from spiqa_tasks.analysis.compare import compared
from spiqa_tasks.analysis.published_rows import published_values
from spiqa_tasks.analysis.why import why
from spiqa_tasks.commands.run_arguments import add_analysis, runs_by_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import render
from spiqa_tasks.report.tables import comparison_table, why_table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import natural

MOST_PAIRS = 50
"""Pairs of runs that people are shown."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser, "the metric (default: the task's headline)")
    parser.add_argument("--baseline", metavar="MODEL", help="each run against this model's (default: all pairs)")
    parser.add_argument(
        "--why",
        action="store_true",
        help="what the numbers of two runs of the same questions owe to questions, failures, cuts, the rule of reading "
        "and the average; --metric A,B names both metrics, MMStar's also for other tasks with options",
    )
    about = "with --why and one run: a printed number instead of the other, or the model of a row of the task's paper"
    parser.add_argument("--against", metavar="NUMBER|MODEL", help=about)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; 3 where a run had to be left out."""
    if arguments.why or arguments.against:
        return _why(arguments)
    runs, _ = runs_by_path(arguments, "one")
    found, left_out = compared(runs, arguments.metric, arguments.baseline)
    say(*left_out)
    print(render(arguments.format, comparison_table(found, MOST_PAIRS)))
    return 3 if left_out else 0


def _why(arguments: argparse.Namespace) -> int:
    """Print the lines of the difference of two numbers."""
    arguments.partial = True  # questions that were not answered are a line
    runs, _ = runs_by_path(arguments, "one")
    metric, _, other = (arguments.metric or "").partition(",")
    if arguments.against is not None and len(runs) == 1:
        name, value, rule = _printed(arguments.against, runs[0], metric)
        found = why(runs[0], runs[0], metric or None, other or rule or metric or None, (name, value))
    elif arguments.against is None and (len(runs) == 2 or (other and len(runs) == 1)):
        found = why(runs[0], runs[-1], metric or None, other or metric or None)
    else:
        names = ", ".join(f"{run.task} of {run.name}" for run in runs)
        raise InputError(
            "Expected two runs for --why, one with --metric A,B, or one with --against NUMBER; found "
            f"{names}. Name the files, or choose with --task."
        )
    print(render(arguments.format, why_table(found)))
    return 0


def _printed(text: str, run: Run, metric: str) -> tuple[str, float, str | None]:
    """Return whose a printed number is, the number from 0 to 1, and the metric that it was made by, if known."""
    try:
        (share,), unit = natural([float(text)])
    except ValueError:
        rows = published_values(run) if run.is_own else []
        name = metric or run.metric().name
        rows = [row for row in rows if row.group is None and row.metric == name]
        row = next((row for row in rows if row.model.casefold() == text.casefold()), None)
        if row is None:
            known = ", ".join(dict.fromkeys(row.model for row in rows)) or "no model"
            raise InputError(
                f"Expected a number for --against, or a model that the paper of {run.task} has by {name}: {known}; "
                f"found {text}. Correct it."
            ) from None
        is_mmstar = run.own.benchmark == "mmstar"
        return f"{row.model} in {row.table}", row.value, "accuracy_released" if is_mmstar else None
    return f"{text} ({unit})", share, None
