"""`--by` of `score`: metrics by group of answers, a `groupby` of the frame of `load_samples`."""

import argparse
import math
from collections.abc import Iterator, Sequence

import pandas as pd

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, group_value
from spiqa_tasks.benchmarks.aggregation import Metric, prepare
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
    """Return the RUNs of `--by` as they were scored; None if they are to be scored, or of a TASK."""
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
    frames = [(run, frame_of([run])) for run in with_unique_labels(runs)]
    suited = [(run, frame) for run, frame in frames if _columns(frame, arguments.by)]
    if not suited:
        known = {name for _, frame in frames for name in group_columns(frame)}
        raise InputError(
            f"No answers have the column {arguments.by}. Known: {', '.join(sorted(known))}."
        )

    metrics = {run.name: _metrics(run, arguments.metrics) for run, _ in suited}
    prepare((metrics[run.name], run.questions) for run, _ in suited)
    rows: list[GroupValue] = []
    is_complete = True
    for run, frame in suited:
        reasons = withheld_values(run, metrics[run.name])
        is_complete &= run.record_set.withheld() is None and not reasons
        say(*reasons)
        for metric in metrics[run.name]:
            rows += _rows(run, frame, metric, arguments.by)

    _print(arguments.format, rows)
    short = [row for row in rows if math.isnan(row.value) and row.is_of_part]
    say(
        *(
            f"{row.metric} of {row.group} of {row.model} is withheld: {row.questions} questions."
            for row in short
        )
    )
    return is_complete and not short


def _columns(frame: pd.DataFrame, by: str) -> list[str]:
    """The columns of groups that are asked for, of those that the frame has."""
    known = group_columns(frame)
    if by == GROUP:
        return known or [by]  # a run without groups has its value over all answers
    return [name for name in known if name == by]


def _metrics(run: Run, names: Sequence[str]) -> list[Metric]:
    if ALL in names:
        return run.metrics
    return [run.metric(name) for name in names or (None,)]


def _rows(run: Run, frame: pd.DataFrame, metric: Metric, by: str) -> Iterator[GroupValue]:
    """The value over all answers, then that of each group, by name within each column."""
    if by == GROUP:
        yield group_value(run, metric.name, OVERALL, run.value(metric))
    if not has_metric(frame, metric.name):
        return  # a rate of failures, which is one of the whole run

    for column in _columns(frame, by):
        if column not in frame:
            continue
        groups = frame[column] if by == GROUP else frame[column].fillna("unknown")
        for name, part in frame.groupby(groups):
            size = run.written.sizes.get(str(name))
            found = value(part, metric.name, run.partial, size)
            if found.n or found.reason:
                yield group_value(run, metric.name, str(name), found)


def _print(form: str, rows: Sequence[GroupValue]) -> None:
    part: Columns = ["questions"] * any(row.is_of_part for row in rows)
    values: Columns = [Column("value", "x 100", number, ("low", "high")), "n", *part]
    print(render(form, Table(as_records(rows), ["model", "task", "metric", "group"], values)))
