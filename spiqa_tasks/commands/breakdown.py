"""`breakdown`: any metric of our tasks' runs by any group of answers, or by a measured property of the questions."""

from __future__ import annotations

import argparse

from spiqa_tasks.analysis.breakdown import by_group, by_label, by_property
from spiqa_tasks.benchmarks.aggregation import Metric, prepare
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.commands.run_arguments import METRIC, add_analysis, named_runs, withheld_values
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import with_unique_labels
from spiqa_tasks.scoring.units import number

ALL = "all"
GROUP = "group"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_analysis(parser, f"{METRIC}; {ALL}: every metric that the run has")
    parser.add_argument(
        "--by",
        choices=(GROUP, *sorted({name for each in BENCHMARKS.values() for name in (*each.properties, *each.labels)})),
        default=GROUP,
        help="the groups that the records name (default), the benchmark that a question of MMStar is from (source), or "
        "bins of a property of the questions",
    )
    parser.add_argument("--bins", type=int, default=5, help="bins of equal count (default: 5)")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per metric and group of every task."""
    runs = with_unique_labels(named_runs(arguments))
    prepare((_metrics(run, arguments.metric), run.questions) for run in runs)
    by, groups = arguments.by, []
    suited = [run for run in runs if by == GROUP or _has(run.own.entry, by)]
    if not suited:
        known = ", ".join(name for name, each in BENCHMARKS.items() if _has(each, by))
        raise InputError(f"Expected runs of a benchmark with {by} ({known}), found none.")
    for run in suited:
        metrics = _metrics(run, arguments.metric)
        say(*withheld_values(run, metrics))
        if by == GROUP:
            groups += by_group(run, metrics)
            continue
        for metric in metrics:
            is_label = by in run.own.entry.labels
            groups += by_label(run, metric, by) if is_label else by_property(run, metric, by, arguments.bins)
    values: Columns = ["n", "questions", Column("value", "x 100", number, ("low", "high"))]
    print(render(arguments.format, Table(as_records(groups), ["model", "task", "metric", "group"], values)))
    return 0


def _has(benchmark: Benchmark, name: str) -> bool:
    return name in benchmark.properties or name in benchmark.labels


def _metrics(run: Run, name: str | None) -> list[Metric]:
    return run.metrics if name == ALL else [run.metric(name)]
