"""`breakdown`, `bootstrap`, `alignment` and `spread`: what runs of our tasks say beyond their table."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from spiqa_tasks.analysis.own_runs import OwnRun, own_runs
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.units import percent

Rows = list[dict[str, Any]]
SHARES = {"value", "accuracy", "low", "high", "control", "change", "mean", "sd", "range"}
ALL = "all"


def add(subparsers: Any) -> None:
    """Add the four subcommands."""
    breakdown = _add(subparsers, "breakdown", run_breakdown, "any metric by any group of answers, with 95%% intervals")
    breakdown.add_argument("--by", choices=("group", "caption_length", "figure_size"), default="group")
    breakdown.add_argument("--bins", type=int, default=5, help="bins of equal count (default: 5)")
    bootstrap = _add(subparsers, "bootstrap", run_bootstrap, "mean and variance of resampled accuracy")
    bootstrap.add_argument("--size", type=int, default=500, help="answers in a resample (default: 500)")
    bootstrap.add_argument("--repeats", type=int, default=100_000, help="resamples (default: 100000)")
    bootstrap.add_argument("--seed", type=int, default=0)
    _add(subparsers, "alignment", run_alignment, "change of accuracy where a caption is marked, with paired intervals")
    _add(subparsers, "spread", run_spread, "range of accuracy over orders of the options")


def run_breakdown(arguments: argparse.Namespace) -> int:
    """Print one line per metric and group of every task."""
    from spiqa_tasks.analysis.breakdown import by_group, by_property

    runs = _runs(arguments)
    if arguments.by == "group":
        groups = [group for run in runs for group in by_group(run, _metrics(run, arguments.metric))]
    else:
        suited = [run for run in runs if arguments.by in run.benchmark.properties]
        if not suited:
            raise InputError(f"Expected runs of a benchmark with {arguments.by} (SciFIBench), found none.")
        groups = [
            group
            for run in suited
            for metric in _metrics(run, arguments.metric)
            for group in by_property(run, metric, arguments.by, arguments.bins)
        ]
    return _show(arguments, groups, ("model", "task", "metric", "group", "n", "value", "low", "high"))


def run_bootstrap(arguments: argparse.Namespace) -> int:
    """Print one line per task; the variance is that of the share, shown times 100 as the paper does."""
    from spiqa_tasks.analysis.comparisons import bootstrap

    given = (arguments.size, arguments.repeats, arguments.seed, arguments.metric)
    rows = [bootstrap(run, *given) for run in _runs(arguments)]
    return _show(arguments, rows, ("model", "task", "n", "size", "repeats", "mean", "variance"))


def run_alignment(arguments: argparse.Namespace) -> int:
    """Print one line per marked task."""
    from spiqa_tasks.analysis.comparisons import alignment

    columns = ("model", "split", "mark", "ignore", "n", "control", "accuracy", "change", "low", "high")
    return _show(arguments, alignment(_runs(arguments), arguments.metric), columns)


def run_spread(arguments: argparse.Namespace) -> int:
    """Print one line per model and split."""
    from spiqa_tasks.analysis.comparisons import spread

    rows = spread(_runs(arguments), arguments.metric)
    return _show(arguments, rows, ("model", "split", "accuracies", "mean", "sd", "range"))


def _add(subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    result: argparse.ArgumentParser = subparsers.add_parser(name, help=text)
    result.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="result files or folders of lmms-eval")
    result.add_argument("--task", action="append", default=[], help="only this task; may be given several times")
    result.add_argument("--metric", help="the metric (default: the task's headline)")
    result.add_argument("--json", action="store_true", help="machine-readable, shares from 0 to 1")
    result.set_defaults(run=run)
    return result


def _runs(arguments: argparse.Namespace) -> list[OwnRun]:
    runs, remarks = own_runs(arguments.runs, arguments.task)
    for remark in remarks:
        print(f"spiqa-tasks: {remark}", file=sys.stderr)
    return runs


def _metrics(run: OwnRun, name: str | None) -> list[Metric]:
    return run.metrics if name == ALL else [run.metric(name)]


def _show(arguments: argparse.Namespace, items: Sequence[Any], columns: Sequence[str]) -> int:
    rows: Rows = [dataclasses.asdict(item) for item in items]
    if arguments.json:
        print(json.dumps([{key: _plain(value) for key, value in row.items()} for row in rows], indent=2))
    else:
        table = [[_cell(column, row[column]) for column in columns] for row in rows]
        print(tabulate(table, headers=columns, disable_numparse=True))
    return 0


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _cell(column: str, value: Any) -> str:
    """A cell for people: shares times 100."""
    if isinstance(value, dict):
        return " ".join(f"{key}:{percent(share)}" for key, share in value.items())
    if column == "variance":
        return f"{100 * value:.3f}"
    if column in SHARES:
        return "-" if math.isnan(value) else percent(value)
    return str(value)
