"""`gain`: multi-modal gain and leakage of the host's runs."""

import argparse
from collections.abc import Sequence
from itertools import chain

from spiqa_tasks.analysis.gain import GainRuns, ablation_pairs, averages, pair_of, rows
from spiqa_tasks.commands.run_arguments import add_runs, runs_at
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import add_format, render
from spiqa_tasks.report.tables import gain_tables
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run

# The last lines of the help.
EPILOG = (
    "A RUN records whether its model saw pictures: by its task (_text, _grey, _llm) or by --model "
    "ablated. For other files --with, --without and --llm-base say it."
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = EPILOG
    add_runs(parser, "*")
    roles = (
        ("--with", "seeing", "answers of a model that saw the pictures, in any form"),
        ("--without", "blind", "answers of the same model without them"),
        ("--llm-base", "base", "answers of its LLM base; may be added to RUNs"),
    )
    for option, name, about in roles:
        parser.add_argument(option, dest=name, type=RunPath.parse, metavar="FILE", help=about)
    parser.add_argument(
        "--metric", help="the metric to compare (default: the headline of each task)"
    )
    parser.add_argument(
        "--by",
        default="",
        metavar="COLUMN",
        help="add a line for each group of this column (category, ...), or of all columns (group)",
    )
    parser.add_argument(
        "--accept-differences", action="store_true", help="allow one file or model in two roles"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 3 if a row is withheld or a run that was asked for is left out,
    else 0.
    """
    is_named = bool(arguments.seeing or arguments.blind)
    if is_named == bool(arguments.runs):
        raise InputError(
            "Expected RUNs, or --with FILE --without FILE (one file each), either with "
            f"[--llm-base FILE]; found {'both' if is_named else 'neither'}. See `spiqa-tasks gain "
            "-h`."
        )

    pairs, problems = _named_pair(arguments) if is_named else _recognised_pairs(arguments)
    is_complete = print_gain(pairs, arguments.format, arguments.by)
    # Behind the table: on a terminal the last lines are read first.
    say(*problems)
    return 0 if is_complete and not problems else 3


def print_gain(pairs: Sequence[GainRuns], form: str, by: str) -> bool:
    """Print the table and its warnings; return whether no row is withheld."""
    rows_by_pair = [rows(pair, by) for pair in pairs]
    all_rows = list(chain.from_iterable(rows_by_pair))
    means = averages([overall for overall, *_ in rows_by_pair])
    print(render(form, *gain_tables([*all_rows, *means])))

    for overall, *groups in rows_by_pair:
        # A warning about all questions is not repeated for each group.
        for row in [overall] if overall.warnings else groups:
            name = f"{row.task} of {row.model} ({row.ablation}), {row.group}"
            say(*(f"{name}: {warning}." for warning in row.warnings), program="warning")
    return all(row.result for row in all_rows)


def _recognised_pairs(arguments: argparse.Namespace) -> tuple[list[GainRuns], list[str]]:
    """Return the pairs of RUNs, by what these record of their pictures, and a sentence on each run
    left out.
    """
    runs = runs_at(arguments.runs, arguments)
    bases = [] if arguments.base is None else runs_at([arguments.base], arguments)
    pairs, alone, problems = ablation_pairs(
        runs, bases, arguments.metric, arguments.accept_differences
    )

    # A run without its twin is missing if it was named; a folder's has no part in a gain, so that
    # what was asked for is done.
    is_every_run_named = arguments.task or not all(
        run_path.path.is_dir() for run_path in arguments.runs
    )
    if is_every_run_named:
        return pairs, [*alone, *problems]
    say(*alone)
    return pairs, problems


def _named_pair(arguments: argparse.Namespace) -> tuple[list[GainRuns], list[str]]:
    """Return the pair of `--with` and `--without`, and why its LLM base is left out, if it is.

    Raises InputError: one of the two is not named, or the runs must not be compared.
    """
    if arguments.seeing is None or arguments.blind is None:
        raise InputError(
            "Expected --with and --without, which gain is the difference of; found one of them. "
            "`spiqa-tasks score` takes a single file."
        )

    seeing = _only_run(arguments.seeing, arguments)
    blind = _only_run(arguments.blind, arguments)
    bases = [] if arguments.base is None else [_only_run(arguments.base, arguments)]
    if seeing.is_blind:
        raise InputError(
            f"Expected a run with pictures at --with, found {seeing.name} on {seeing.task}. "
            "Name it at --without."
        )
    pair, problem = pair_of(seeing, blind, bases, arguments.metric, arguments.accept_differences)
    return [pair], [problem] if problem else []


def _only_run(run_path: RunPath, arguments: argparse.Namespace) -> Run:
    """Return the run at a path. Raises InputError: there are several."""
    runs = runs_at([run_path], arguments)
    if len(runs) > 1:
        found = ", ".join(f"{run.task} of {run.name}" for run in runs)
        tasks = {run.task for run in runs}
        remedy = f"Write TASK={run_path.path}" if len(tasks) > 1 else "Name its results file"
        raise InputError(f"Expected one run at {run_path.path}, found {found}. {remedy}.")
    return runs[0]
