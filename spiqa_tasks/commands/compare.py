"""`compare`: runs of the same tasks against each other."""

import argparse
from collections.abc import Sequence

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.analysis.why import why, why_printed
from spiqa_tasks.commands.run_arguments import add_accept, add_runs, runs_by_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import add_format, render
from spiqa_tasks.report.tables import comparison_table, why_table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import natural


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument("--metric", help="the metric (default: the task's headline)")
    add_format(parser)
    add_accept(parser, "compare scores of different judges")
    parser.add_argument(
        "--baseline", metavar="MODEL", help="each run against this model's (default: all pairs)"
    )
    about = (
        "what the numbers of two runs of the same questions owe to questions, failures, cuts, the"
        " rule of reading and the average; --metric A,B names both metrics, MMStar's also for other"
        " tasks with options"
    )
    parser.add_argument("--why", action="store_true", help=about)
    about = "with --why and one run: a printed number instead of the other"
    parser.add_argument("--against", type=float, metavar="NUMBER", help=about)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; 3 where a run had to be left out."""
    if arguments.why or arguments.against is not None:
        return _why(arguments)
    runs, _ = runs_by_path(arguments)
    found, left_out = compare(
        runs,
        arguments.metric,
        arguments.baseline,
        accept_differences=arguments.accept_differences,
    )
    if not found:
        names = ", ".join(sorted({f"{run.task} of {run.name}" for run in runs}))
        by = f" by {arguments.metric}" if arguments.metric else ""
        remedy = " ".join(left_out) or "Name the folders of the runs to compare."
        raise InputError(f"Expected two runs of one task with scores{by}; found {names}. {remedy}")
    say(*left_out)
    print(render(arguments.format, comparison_table(found)))
    return 3 if left_out else 0


def _why(arguments: argparse.Namespace) -> int:
    arguments.partial = True  # questions that were not answered are a line
    runs, _ = runs_by_path(arguments)
    one, _, two = (arguments.metric or "").partition(",")
    metric_a, metric_b = one or None, two or None
    _check_number(arguments.against)

    wanted = {1} if arguments.against is not None else {1, 2} if metric_b else {2}
    if len(runs) not in wanted:
        raise _other_number(runs)

    if arguments.against is not None:
        (share,), unit = natural([arguments.against])
        name = f"the number in {unit}"
        found = why_printed(runs[0], share, name, metric_a, metric_b)
    else:
        found = why(runs[0], runs[-1], metric_a, metric_b or metric_a)
    print(render(arguments.format, why_table(found)))
    return 0


def _other_number(runs: Sequence[Run]) -> InputError:
    names = ", ".join(f"{run.task} of {run.name}" for run in runs)
    return InputError(
        "Expected two runs for --why, one with --metric A,B, or one with --against NUMBER; found "
        f"{names}. Name the files, or choose with --task."
    )


def _check_number(number: float | None) -> None:
    if number is not None and not 0 <= number <= 100:
        raise InputError(
            f"Expected --against a share from 0 to 1 or percent from 0 to 100, found {number:g}."
        )
