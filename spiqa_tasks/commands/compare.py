"""`compare`: runs of the same tasks against each other."""

import argparse

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.analysis.why import Why, why, why_printed
from spiqa_tasks.commands.run_arguments import add_accept, add_runs, runs_by_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import add_format, render
from spiqa_tasks.report.tables import comparison_table, why_table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import with_short_names, with_unique_labels
from spiqa_tasks.scoring.gain import natural


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument("--metric", help="the metric (default: the task's headline)")
    add_format(parser)
    add_accept(parser, "compare scores of different judges")
    parser.add_argument(
        "--baseline",
        metavar="MODEL",
        help="compare each run with this model's (default: all pairs)",
    )
    about = (
        "split the difference of two runs of the same questions into causes: missing questions,"
        " failed and truncated answers, the rule that reads letters, the average; --metric A,B"
        " names a metric for each run (MMStar's suit any task with options)"
    )
    parser.add_argument("--why", action="store_true", help=about)
    about = "a printed number, to one decimal, in place of the second run of --why"
    parser.add_argument("--against", type=float, metavar="NUMBER", help=about)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; 3 where a run had to be left out."""
    if arguments.why or arguments.against is not None:
        return _why(arguments)
    runs, _ = runs_by_path(arguments, says_unread=False)
    found, left_out = compare(
        with_unique_labels(with_short_names(runs)),
        arguments.metric,
        arguments.baseline,
        accept_differences=arguments.accept_differences,
    )
    if not found:
        names = ", ".join(sorted({f"{run.task} of {run.name}" for run in runs}))
        reason = " ".join(left_out) or (
            f"Found {names}. Name the folders of the runs to compare; `gain` compares with and "
            "without pictures."
        )
        raise InputError(f"Expected two runs of one task with scores. {reason}")
    say(*left_out)
    print(render(arguments.format, comparison_table(found)))
    return 3 if left_out else 0


def _why(arguments: argparse.Namespace) -> int:
    arguments.partial = True  # questions that were not answered are a line
    runs = with_unique_labels(with_short_names(runs_by_path(arguments, says_unread=False)[0]))
    metric_a, _, metric_b = (arguments.metric or "").partition(",")
    is_against = arguments.against is not None

    if is_against and len(runs) == 1:
        found = _why_printed(runs[0], arguments.against, metric_a)
    elif not is_against and (len(runs) == 2 or (len(runs) == 1 and metric_b)):
        found = why(runs[0], runs[-1], metric_a, metric_b or metric_a)
    else:
        names = ", ".join(f"{run.task} of {run.name}" for run in runs)
        raise InputError(
            "Expected two runs for --why, one with --metric A,B, or one with --against NUMBER; "
            f"found {names}. Name the files, or choose with --task."
        )
    print(render(arguments.format, why_table(found)))
    return 0


def _why_printed(run: Run, printed: float, metric: str) -> Why:
    if not 0 <= printed <= 100:
        raise InputError(
            f"Expected --against a share from 0 to 1 or percent from 0 to 100, found {printed:g}."
        )
    (share,), unit = natural([printed])
    return why_printed(run, share, f"the printed number (taken for {unit})", metric)
