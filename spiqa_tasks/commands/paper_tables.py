"""Makers of the papers' tables: each prints one again from runs, beside the printed rows."""

import argparse
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import by_group, overall
from spiqa_tasks.analysis.gain import ablation_pairs
from spiqa_tasks.analysis.paper.alignment import alignment, summary
from spiqa_tasks.analysis.paper.measures import bootstrap, correlations, spread
from spiqa_tasks.analysis.paper.sizes import MEASURES, by_size
from spiqa_tasks.analysis.published_rows import published_values
from spiqa_tasks.benchmarks.metric import Metric, prepare
from spiqa_tasks.commands.gain import print_gain
from spiqa_tasks.commands.paper_ranking import rank_captions
from spiqa_tasks.commands.run_arguments import (
    measured_runs,
    named_runs,
    runs_at,
    runs_by_path,
    withheld_values,
)
from spiqa_tasks.printable import say
from spiqa_tasks.published import Item, load, tables
from spiqa_tasks.report.printer import STYLES, Column, Columns, Table, as_records, render
from spiqa_tasks.report.records import printed_record, records_of, shown_metrics
from spiqa_tasks.report.score_tables import of_one_model, paper_table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number, percent

_VALUE = Column("value", "x 100", number, ("low", "high"))
_ACROSS = ("benchmark", "category", "subset", "task", "judge", "metric", "correlated_with")
"""Columns of published tables whose entries head columns, as in the papers; the other ones label
the rows.
"""
_NUMBERS = ("value", "sd", "variance")
_SCORE_LABELS = ("model", "source", "judge", "task", "metric", "group")


def _show(
    arguments: argparse.Namespace,
    item: Item,
    rows: Sequence[Mapping[str, Any]],
    labels: Columns,
    values: Columns,
    left_out: Sequence[str] = (),
) -> int:
    """Print rows, then for people those that the paper prints; return 3 if something is left
    out.
    """
    print(render(arguments.format, Table(rows, labels, values), *_printed(item)))
    return 3 if left_out else 0


def _printed(item: Item) -> list[Table]:
    """Return the published table in the printed unit, a column per benchmark, category and
    metric that vary.
    """
    if (item.paper, item.key) not in tables():
        return []

    rows = load(item.paper, item.key)
    labels, heads = _varied_columns(rows)

    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    columns: dict[str, None] = {}
    for row in rows:
        key = tuple(row[name] for name in labels)
        line = lines.setdefault(key, {**dict(zip(labels, key, strict=True)), "cells": {}})
        head = " ".join(str(row[name]) for name in heads) or "value"
        line["cells"][head] = _printed_cell(row)
        columns[head] = None

    shown = [Column(("cells", head)) for head in columns]
    return [Table([*lines.values()], labels, shown, title=f"As printed, {item.name}", data=())]


def _varied_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the columns that label rows and those that head columns, of those with several
    values.
    """
    labels: list[str] = []
    heads: list[str] = []
    for name in rows[0]:
        # an empty cell is no value: Table 5's gain is of no single strategy
        values = {row[name] for row in rows} - {None}
        if name not in _NUMBERS and len(values) > 1:
            (heads if name in _ACROSS else labels).append(name)

    return labels, heads


def _printed_cell(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return "-"
    deviation = "" if row.get("sd") is None else f" ± {row['sd']:g}"
    return f"{row['value']:g}{deviation}"


def _main(arguments: argparse.Namespace, _item: Item) -> int:
    print(paper_table(of_one_model([[run] for run in named_runs(arguments)]), arguments.format))
    return 0


def _scores(arguments: argparse.Namespace, item: Item) -> int:
    """Print the values of the table's metrics, overall or by group, and the printed ones for the
    same questions.
    """
    runs, _ = runs_by_path(arguments)
    chosen = arguments.metric or item.option("metric")
    names = chosen.split(",") if chosen else ()
    metrics = [_metrics(run, item, names) for run in runs]
    prepare((of_run, run.questions) for of_run, run in zip(metrics, runs, strict=True))

    values = by_group if item.option("by") == "group" else overall
    made: list[dict[str, Any]] = []
    for run, of_run in zip(runs, metrics, strict=True):
        say(*withheld_values(run, of_run))
        made += records_of(run, values(run, of_run))

    printed = _printed_records(runs, item, {_place(record) for record in made})
    made_again = Table([*made, *printed], _SCORE_LABELS, ["n", "questions", _VALUE])
    print(render(arguments.format, made_again, *([] if printed else _printed(item))))
    return 0


def _metrics(run: Run, item: Item, names: Sequence[str]) -> list[Metric]:
    """Return the metrics that are asked for, that the table prints, or that the host's table
    shows.
    """
    if names:
        return [run.metric(name) for name in names]
    if not run.is_own:
        return [run.metric()]

    printed = {value.metric for value in published_values(run, item.name)}
    return [metric for metric in run.metrics if metric.name in printed] or shown_metrics(run)


def _printed_records(
    runs: Sequence[Run], item: Item, places: Collection[tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """Return the published values for the runs' tasks that stand at these places of the table."""
    values = {
        (run.task, value): None
        for run in runs
        if run.is_own
        for value in published_values(run, item.name)
    }
    records = [printed_record(value, task, value.judge) for task, value in values]
    return [record for record in records if _place(record) in places]


def _place(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a value is of, whoever measured it."""
    return record["task"], record["metric"], record["group"]


def _correlate(arguments: argparse.Namespace, item: Item) -> int:
    rows, left_out = correlations(named_runs(arguments))
    say(*left_out)
    labels: Columns = ["model", "task", "metric", Column("correlated_with", "with"), "judge"]
    rho = Column("spearman", "Spearman", lambda value: "-" if value is None else f"{value:.2f}")
    return _show(arguments, item, rows, labels, ["n", rho], left_out)


def _spread(arguments: argparse.Namespace, item: Item) -> int:
    rows = spread(measured_runs(arguments), arguments.metric, arguments.over or item.option("over"))
    statistics = [Column(name, show=number) for name in ("mean", "sd", "range")]
    values = [Column("accuracies", show=_by_setting), *statistics]
    return _show(
        arguments, item, rows, ["model", "split", "settings", "over"], [*values, "questions"]
    )


def _by_setting(shares: Mapping[Any, float]) -> str:
    return " ".join(f"{setting}:{percent(share)}" for setting, share in shares.items())


def _bootstrap(arguments: argparse.Namespace, item: Item) -> int:
    given = (arguments.size, arguments.repeats, arguments.seed, arguments.metric)
    rows = [bootstrap(run, *given) for run in measured_runs(arguments)]
    variance = Column(
        "variance", show=lambda share: "-" if math.isnan(share) else f"{100 * share:.3f}"
    )
    values: Columns = ["n", "size", "repeats", Column("mean", show=number), variance, "questions"]
    return _show(arguments, item, rows, ["model", "task"], values)


def _sizes(arguments: argparse.Namespace, item: Item) -> int:
    rows = [
        {"by": measure, **row}
        for run in measured_runs(arguments)
        for measure in MEASURES
        for row in as_records(by_size(run, run.metric(arguments.metric), measure))
    ]
    return _show(arguments, item, rows, ["model", "task", "metric", "by", "group"], ["n", _VALUE])


def _alignment(arguments: argparse.Namespace, item: Item) -> int:
    runs = measured_runs(arguments)
    labels = ["model", "split", "mark", "ignore"]
    if not arguments.summary:
        shares = [Column("control", show=number), Column("accuracy", show=number)]
        values: Columns = [
            "n",
            *shares,
            Column("change", show=number, more=("low", "high")),
            "questions",
        ]
        return _show(arguments, item, alignment(runs, arguments.metric), labels, values)
    rows = summary(runs, arguments.metric)
    say(
        *(
            f"{row['measure']} of {row['model']}, {row['split']}: {row['why_not']}."
            for row in rows
            if row["why_not"]
        )
    )
    value = Column("value", show=number, more=("low", "high"))
    return _show(arguments, item, rows, [*labels, "measure"], ["n", value, "questions"])


def _gain(arguments: argparse.Namespace, item: Item) -> int:
    runs = runs_at(arguments.runs, arguments)
    pairs, alone, problems = ablation_pairs(runs, (), arguments.task, arguments.metric)
    say(*alone, *problems)
    print_gain(pairs, arguments.format, by="group")
    if arguments.format in STYLES and (printed := _printed(item)):
        print(f"\n{render(arguments.format, *printed)}")
    return 3 if problems else 0


MAKERS: Mapping[str, Callable[[argparse.Namespace, Item], int]] = {
    "alignment": _alignment,
    "bootstrap": _bootstrap,
    "correlate": _correlate,
    "gain": _gain,
    "main": _main,
    "rank": rank_captions,
    "scores": _scores,
    "sizes": _sizes,
    "spread": _spread,
}
"""Name in `published/items.csv` -> maker: prints and returns the exit status; `paper` makes
`counts` itself.
"""
