"""`--by` of `score`: metrics by group of answers, a `groupby` of the frame of `load_samples`."""

import argparse
import math
from collections.abc import Iterator, Sequence

import pandas as pd

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, group_value
from spiqa_tasks.analysis.merging import kinds_of
from spiqa_tasks.benchmarks.metric import Metric, Value, prepare
from spiqa_tasks.commands.run_arguments import named_runs, withheld_values
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.runs.frame import frame_of, group_columns, has_metric, value
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import with_unique_labels
from spiqa_tasks.scoring.values import number

ALL = "all"
GROUP = "group"
_OF_SCORING = (
    "rule",
    "output",
    "dry_run",
    "accept_differences",
)
"""Options for which RUNs are scored again."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    about = (
        "print values with intervals by a group column of the answers (category, figure_type, "
        "source, ...), or by all of them (group); RUNs keep the scores that they have"
    )
    parser.add_argument("--by", metavar="COLUMN", help=about)


def scored_runs(arguments: argparse.Namespace) -> list[Run] | None:
    """Return the RUNs of `--by` as they were scored; None if they are to be scored, or of a
    TASK.
    """
    is_scoring = any(getattr(arguments, name) for name in _OF_SCORING)
    is_scoring |= len(arguments.judge or ()) > 1
    if is_scoring or names_task(arguments):
        return None
    return named_runs(as_runs(arguments))


def names_task(arguments: argparse.Namespace) -> bool:
    """Return whether the arguments of `score` are a task and answers to it, not RUNs."""
    if not arguments.predictions or arguments.task.endswith(".yaml"):
        return bool(arguments.predictions)
    tasks, groups = catalogue(arguments.include_path)
    return arguments.task in {**tasks, **groups} or not RunPath.parse(arguments.task).path.exists()


def as_runs(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments of `score` as the other commands on runs have them."""
    runs = [RunPath.parse(str(place)) for place in (arguments.task, *arguments.predictions)]
    judge = next(iter(arguments.judge or ()), None)
    return argparse.Namespace(
        **{**vars(arguments), "runs": runs, "task": arguments.only, "judge": judge}
    )


def show_groups(arguments: argparse.Namespace, runs: Sequence[Run]) -> bool:
    """Print one line per run, metric and group; return whether no value is withheld.

    Raises InputError: no run that has the column, or an unknown metric.
    """
    suited = _suited(runs, arguments.by)
    asked = [_metrics(run, arguments.metrics) for run, _ in suited]
    prepare((metrics, run.questions) for metrics, (run, _) in zip(asked, suited, strict=True))

    rows: list[GroupValue] = []
    is_complete = True
    for metrics, (run, frame) in zip(asked, suited, strict=True):
        reasons = withheld_values(run, metrics)
        is_complete &= run.record_set.withheld() is None and not reasons
        say(*reasons)
        for metric in metrics:
            rows += _rows(run, frame, metric, arguments.by)

    _print(arguments.format, rows)
    withheld = _withheld_groups(rows)
    say(*withheld)
    return is_complete and not withheld


def _suited(runs: Sequence[Run], by: str) -> list[tuple[Run, pd.DataFrame]]:
    """Return the runs that have a column, with their frames. Raises InputError: none has it."""
    frames = [(run, frame_of([run])) for run in with_unique_labels(runs)]
    suited = [(run, frame) for run, frame in frames if by in (GROUP, *group_columns(frame))]
    if not suited:
        known = {name for _, frame in frames for name in group_columns(frame)}
        raise InputError(f"No answers have the column {by}. Known: {', '.join(sorted(known))}.")
    return suited


def _withheld_groups(rows: Sequence[GroupValue]) -> list[str]:
    return [
        f"{row.metric} of {row.group} of {row.model} is withheld: {row.questions} questions."
        for row in rows
        if math.isnan(row.value) and row.is_of_part
    ]


def _metrics(run: Run, names: Sequence[str]) -> list[Metric]:
    if ALL in names:
        return run.metrics
    return [run.metric(name) for name in names or (None,)]


def _rows(run: Run, frame: pd.DataFrame, metric: Metric, by: str) -> Iterator[GroupValue]:
    """The values of the groups in a column, by name; of all, after the value over all answers."""
    columns = [by]
    if by == GROUP:
        yield group_value(run, metric.name, OVERALL, run.value(metric))
        columns = kinds_of(run)  # not where a question is from, which is no group of the host's

    for column in columns:
        for name, part in frame.groupby(column):
            found = _value(run, part, metric, str(name))
            if found.n or found.reason:
                yield group_value(run, metric.name, str(name), found)


def _value(run: Run, part: pd.DataFrame, metric: Metric, group: str) -> Value:
    """The value over a group's rows; a rate of failures has no column and is the run's own."""
    if not has_metric(part, metric.name):
        return run.value(metric, group)
    return value(part, metric.name, run.partial, run.written.sizes.get(group))


def _print(form: str, rows: Sequence[GroupValue]) -> None:
    part: Columns = ["questions"] * any(row.is_of_part for row in rows)
    values: Columns = [Column("value", "x 100", number, ("low", "high")), "n", *part]
    print(render(form, Table(as_records(rows), ["model", "task", "metric", "group"], values)))
