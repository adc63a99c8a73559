"""`--by` of `score`: metrics by group of answers, or by the source of the questions."""

import argparse
import math
from collections.abc import Sequence

from spiqa_tasks.analysis.breakdown import GroupValue, by_group, by_label
from spiqa_tasks.benchmarks.aggregation import prepare
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.commands.run_arguments import named_runs, withheld_values
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
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
    labels = sorted({name for benchmark in BENCHMARKS.values() for name in benchmark.labels})
    about = (
        "print values with intervals by group (categories, types of figures), or by the benchmark "
        "that a question of MMStar is from (source); RUNs keep the scores that they have"
    )
    parser.add_argument("--by", choices=(GROUP, *labels), help=about)


def scored_runs(arguments: argparse.Namespace) -> list[Run] | None:
    """Return the RUNs of `--by` as they were scored; None if they are to be scored, or the arguments name a task."""
    is_scoring = (
        any(getattr(arguments, name) for name in _OF_SCORING) or len(arguments.judge or ()) > 1
    )
    return None if is_scoring or names_task(arguments) else named_runs(as_runs(arguments))


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

    Raises InputError: no run of a benchmark that has the label, or an unknown metric.
    """
    by = arguments.by
    suited = [
        run for run in with_unique_labels(runs) if by == GROUP or by in run.own.benchmark.labels
    ]
    if not suited:
        known = ", ".join(name for name, each in BENCHMARKS.items() if by in each.labels)
        raise InputError(f"Expected runs of a benchmark with {by} ({known}), found none.")
    names = arguments.metrics or (None,)
    metrics = [
        run.metrics if ALL in names else [run.metric(name) for name in names] for run in suited
    ]
    prepare((of_run, run.questions) for of_run, run in zip(metrics, suited, strict=True))
    rows: list[GroupValue] = []
    is_complete = True
    for run, of_run in zip(suited, metrics, strict=True):
        reasons = withheld_values(run, of_run)
        is_complete &= run.record_set.withheld() is None and not reasons
        say(*reasons)
        if by == GROUP:
            rows += by_group(run, of_run)
        for metric in of_run if by != GROUP else ():
            rows += by_label(run, metric, by)
    part: Columns = ["questions"] * any(row.is_of_part for row in rows)
    values: Columns = [Column("value", "x 100", number, ("low", "high")), "n", *part]
    print(
        render(
            arguments.format, Table(as_records(rows), ["model", "task", "metric", "group"], values)
        )
    )
    short = [row for row in rows if math.isnan(row.value) and row.is_of_part]
    say(
        *(
            f"{row.metric} of {row.group} of {row.model} is withheld: {row.questions} questions."
            for row in short
        )
    )
    return is_complete and not short
