"""`compare`: runs of the same tasks against each other."""

import argparse

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.analysis.why import why
from spiqa_tasks.commands.run_arguments import add_runs, named_runs
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import abridged, say
from spiqa_tasks.report.printer import add_format, render
from spiqa_tasks.report.tables import comparison_tables, why_table


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument("--metric", help="the metric (default: the task's headline)")
    add_format(parser)
    parser.add_argument(
        "--accept-differences", action="store_true", help="compare scores of different judges"
    )
    parser.add_argument(
        "--baseline",
        metavar="MODEL",
        help="compare each run with this model's (default: all pairs)",
    )
    parser.add_argument(
        "--why",
        action="store_true",
        help=(
            "split the difference of two runs of the same questions into causes: missing questions,"
            " failed and truncated answers, the rule that reads letters, the average; --metric A,B"
            " names a metric for each run (MMStar's suit any task with options)"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one line per pair of runs of a task; return 3 if a run is left out, else 0."""
    if arguments.why:
        return _why(arguments)

    runs = named_runs(arguments)
    comparisons, left_out = compare(
        runs,
        arguments.metric,
        arguments.baseline,
        accept_differences=arguments.accept_differences,
    )
    if not comparisons:
        found = abridged(f"{run.task} of {run.name}" for run in runs if run.logged)
        nothing = (
            f"Found {found}. Name the folders of the runs to compare; `gain` compares with and"
            " without pictures."
        )
        # The first reason is enough to go on with: ten tasks may have the same one.
        reason = left_out[0] if left_out else nothing
        raise InputError(f"Expected two runs of one task with scores. {reason}")

    say(*left_out)
    print(render(arguments.format, *comparison_tables(comparisons)))
    return 3 if left_out else 0


def _why(arguments: argparse.Namespace) -> int:
    """Print the causes of the difference of two runs, or of two metrics of one run."""
    arguments.partial = True  # Missing questions are one of the causes.
    runs = named_runs(arguments)
    metric_a, _, metric_b = (arguments.metric or "").partition(",")
    fewest = 1 if metric_b else 2
    if not fewest <= len(runs) <= 2:
        names = ", ".join(f"{run.task} of {run.name}" for run in runs)
        raise InputError(
            f"Expected two runs for --why, or one with --metric A,B; found {names}. Name the files,"
            " or choose with --task."
        )

    causes = why(runs[0], runs[-1], metric_a, metric_b or metric_a)
    print(render(arguments.format, why_table(causes)))
    return 0
