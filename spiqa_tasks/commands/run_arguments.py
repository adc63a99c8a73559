"""Arguments of the commands on runs, and the runs that they name."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import STYLES
from spiqa_tasks.runs.columns import USUAL, Columns
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import (
    LeftOut,
    Selection,
    remarks_on,
    remarks_on_answers,
    select_tasks,
    with_short_names,
    with_unique_labels,
)
from spiqa_tasks.runs.subset import read_subset

# Help of the arguments that most commands share.
METRIC = "the metric (default: the task's headline, or the first metric that the run has)"
JUDGE = "only scores by this judge; `score --judge --output` asks one"


def add_runs(
    parser: argparse.ArgumentParser, nargs: str = "+", judge: str = JUDGE, judges: str = "store"
) -> None:
    """Add the arguments that name runs and select among them.

    `judge` is the help of --judge, `judges` its action: `store` for one, `append` for several.
    """
    parser.add_argument(
        "runs",
        nargs=nargs,
        type=RunPath.parse,
        metavar="RUN",
        help=(
            "a folder or file of answers: of lmms-eval (--output_path), VLMEvalKit (--work-dir) or"
            " score --output, or your own answers as TASK=FILE"
        ),
    )
    parser.add_argument(
        "--task", action="append", default=[], help="only this task; may be given several times"
    )
    parser.add_argument("--judge", action=judges, metavar="PROVIDER:MODEL[@URL]", help=judge)
    add_part(parser)
    add_include_path(parser)
    add_columns(parser)


def add_part(parser: argparse.ArgumentParser) -> None:
    """Add --partial and --ids, which say whether a part of a task's questions counts, and which."""
    parser.add_argument(
        "--partial", action="store_true", help="print values over a part of a task, too, as n of N"
    )
    parser.add_argument(
        "--ids",
        type=Path,
        metavar="FILE",
        help="only the questions of this list: an id a line, or the kept.json of a filtered task",
    )
    parser.set_defaults(remarks=[], left_out=[])  # `say_remarks` adds to them


def add_include_path(parser: argparse.ArgumentParser) -> None:
    """Add --include-path, a folder with YAMLs of tasks."""
    parser.add_argument(
        "--include-path",
        action="append",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="folder with YAMLs of your own tasks",
    )


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add --columns, the names of the columns of answers."""
    parser.add_argument(
        "--columns",
        type=Columns.parse,
        default=USUAL,
        metavar="FIELD=COLUMN,...",
        help=(
            "what the columns of answers are called, also by a path from the row: "
            "prediction=resps.0,question=doc.question (docs/answers.md)"
        ),
    )


def selection(arguments: argparse.Namespace) -> Selection:
    """Return which runs, and which of their questions, the arguments select."""
    subset = None if arguments.ids is None else read_subset(arguments.ids)
    # `score` and `paper` take several judges; runs are selected by the first one.
    judge = arguments.judge[0] if isinstance(arguments.judge, list) else arguments.judge
    return Selection(
        tasks=tuple(arguments.task),
        judge=judge,
        partial=arguments.partial,
        include=tuple(arguments.include_path),
        columns=arguments.columns,
        subset=subset,
    )


def say_remarks(arguments: argparse.Namespace, remarks: Sequence[str]) -> None:
    """Print remarks on stderr, and add them to `arguments.remarks`, which a report shows.

    Those on answers that are left out are also added to `arguments.left_out`: exit status 3.
    """
    say(*remarks)
    arguments.remarks += remarks
    arguments.left_out += [remark for remark in remarks if isinstance(remark, LeftOut)]


def as_shown(arguments: argparse.Namespace, runs: Sequence[Run]) -> Sequence[Run]:
    """Return the runs with short names of models for people, unchanged for csv and json."""
    return with_short_names(runs) if arguments.format in STYLES else runs


def runs_at(paths: Sequence[RunPath], arguments: argparse.Namespace) -> Sequence[Run]:
    """Return the runs at some paths `as_shown`; remarks on them and on runs left out go to
    stderr.
    """
    runs, remarks = load_runs(paths, selection(arguments))
    say_remarks(arguments, remarks + remarks_on(runs))
    return as_shown(arguments, runs)


def runs_by_path(arguments: argparse.Namespace) -> list[Run]:
    """Return the RUNs of the selected tasks with unique labels; remarks go to stderr.

    Raises InputError: none of the tasks; or see `load_runs`.
    """
    runs, remarks = load_runs(arguments.runs, selection(arguments))
    labelled = with_unique_labels(select_tasks(runs, arguments.task))
    say_remarks(arguments, remarks + remarks_on(labelled))
    return labelled


def named_runs(arguments: argparse.Namespace) -> list[Run]:
    """Return the RUNs with short names of models; remarks on them and on their unusable answers go
    to stderr.

    Raises InputError: see `runs_by_path`.
    """
    runs = with_unique_labels(with_short_names(runs_by_path(arguments)))
    say(*remarks_on_answers(runs))
    return runs
