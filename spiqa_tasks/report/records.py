"""Values of runs and of papers as flat records, and the table of such records."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, by_group, overall
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE, PublishedValue, published_values
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.published import reported
from spiqa_tasks.report.printer import Column, Columns, Table, shown
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number, without_nan

MEASURED = "measured"
"""Source of computed values; published ones name the paper's table."""

LABELS = ("model", "source", "judge")
"""Fields that label a row of `value_table`."""

Record = dict[str, Any]


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table that are better when higher, the headline first."""
    rows = set(run.own.benchmark.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


def headline_of(run: Run) -> str:
    """Return the name of the task's headline metric, also if the run has no score by it."""
    return run.own.metrics[0]


def leading_metric(runs: Sequence[Run]) -> str:
    """Return the headline of one task's runs, or the first metric that they have if none has that.

    Without a judge SPIQA's runs have no L3Score.
    """
    known = [metric.name for run in runs for metric in run.metrics]
    headline = headline_of(runs[0])
    return headline if headline in known or not known else known[0]


def judge_of(run: Run) -> str:
    """Return the run's judge, with the model served if it differs; '' without a judge."""
    served = {
        str(verdict["model"])
        for record in run.questions
        for verdict in record.verdicts
        if verdict.get("model")
    }
    others = [model for model in sorted(served) if not run.signature.judge.endswith(model)]
    return run.judge_name + (f" (served as {', '.join(others)})" if others else "")


def records_of(run: Run, values: Iterable[GroupValue]) -> list[Record]:
    """Return a flat record of each value of a run, in natural units, None where withheld.

    `group` is `all` for all answers; `questions` says how many of its questions were answered.
    """
    benchmark = run.own.benchmark.name if run.is_own else ""
    split = run.own.split if run.is_own else ""
    judge = judge_of(run)

    records = []
    for value in values:
        record = {
            "model": run.name,
            "source": MEASURED,
            "judge": judge,
            "benchmark": benchmark,
            "split": split,
            "task": run.task,
            "metric": value.metric,
            "group": value.group,
            "value": value.value,
            "low": value.low,
            "high": value.high,
            "n": value.n,
            "questions": value.questions,
            "signature": run.signature.text,
        }
        records.append(without_nan(record))

    return records


def headline_records(runs: Iterable[Run]) -> list[Record]:
    """Return the record of each run's headline; a run without a score by it has the value None."""
    records = []
    for run in runs:
        known = [metric for metric in run.metrics if metric.name == headline_of(run)]
        records += records_of(run, overall(run, known) or [_missing(run)])
    return records


def _missing(run: Run) -> GroupValue:
    nan = float("nan")
    return GroupValue(run.name, run.task, headline_of(run), OVERALL, 0, nan, None, None)


def flat_records(runs: Sequence[Run]) -> list[Record]:
    """Return the records of runs: the headline by group, the other metrics overall."""
    records = []
    for run in runs:
        values = [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]
        records += records_of(run, values)
    return records


def printed_record(value: PublishedValue, task: str, judge: str = "") -> Record:
    """Return a record of a published value, with the fields of a measured one that a paper has."""
    return {
        "model": value.model,
        "source": f"published, {value.table}",
        "judge": judge,
        "task": task,
        "metric": value.metric,
        "group": value.group or OVERALL,
        "value": value.value,
        "low": None,
        "high": None,
        "n": None,
        "questions": "",
    }


def published_records(runs: Iterable[Run]) -> list[Record]:
    """Return the records of what the paper prints for the runs' tasks and metrics.

    A value without a judge has the label of the paper's where a run is judged, so that all values
    of a printed row stand in one.
    """
    records: dict[tuple[str, PublishedValue], Record] = {}
    for run in _one_per_task(runs):
        needs = {metric.name: metric.needs for metric in shown_metrics(run)}
        judge = PAPER_JUDGE if "judge" in needs.values() else ""
        for value in published_values(run):
            if value.metric in needs:
                key = (run.task, value)
                records[key] = printed_record(value, run.task, value.judge or judge)

    return list(records.values())


def reported_records(runs: Iterable[Run]) -> list[Record]:
    """Return the records of what others report for the runs' tasks, with `sd` and `url`."""
    records = []
    for run in _one_per_task(runs):
        known = {metric.name for metric in shown_metrics(run)}
        for row in reported():
            is_of_task = run.task in str(row["tasks"]).split()
            if is_of_task and row["metric"] in known and isinstance(row["value"], float):
                records.append(_reported_record(row, row["value"], run.task))

    return records


def _reported_record(row: Record, percent: float, task: str) -> Record:
    model = f"{row['model']}, {row['how']}"
    value = PublishedValue(model, "", str(row["metric"]), None, percent / 100)
    record = printed_record(value, task, str(row["judge"] or ""))
    return {
        **record,
        "source": f"reported, {row['source']}",
        "sd": row["sd"],
        "url": row["url"],
    }


def _one_per_task(runs: Iterable[Run]) -> Iterable[Run]:
    """Return one run of each task, a judged one if there is one: it has every metric."""
    by_task = {run.task: run for run in sorted(runs, key=lambda run: bool(run.judged_metric))}
    return by_task.values()


def size_of(record: Record) -> str:
    """Return a record's `n of N` where a part of the questions was answered, else its n."""
    answered, _, every = record["questions"].partition(" of ")
    return shown(record["n"]) if answered == every else str(record["questions"])


def cell_of(record: Record) -> str:
    """Return a value x 100 with its interval or deviation, and `n of N` if it is of a part."""
    text = number(record["value"], record["low"], record["high"])
    size = size_of(record)
    if " of " in size:
        return f"{text} ({size})"
    if record.get("sd") is not None:
        return f"{text} ± {record['sd']}"
    return text


def value_table(
    records: Sequence[Record],
    head: Callable[[Record], str],
    title: str = "",
    notes: Sequence[str] = (),
    *,
    with_n: bool = False,
    folded: bool = False,
    data: Sequence[Record] | None = None,
) -> Table:
    """Return the table of records: a row per model, source and judge, a column per heading.

    Args:
        head: record -> heading of its column.
        with_n: whether a column has the number of answers, of the first value of each row.
        data: what csv and json print.
    """
    rows: dict[tuple[str, ...], Record] = {}
    heads: dict[str, None] = {}
    for record in records:
        labels = {name: record[name] for name in LABELS}
        new = {**labels, "n": size_of(record), "cells": {}}
        row = rows.setdefault(tuple(labels.values()), new)
        row["cells"].setdefault(head(record), cell_of(record))
        heads[head(record)] = None

    columns: Columns = [Column(("cells", name)) for name in heads]
    if with_n:
        columns = ["n", *columns]
    measured = [row for row in rows.values() if row["source"] == MEASURED]
    printed = [row for row in rows.values() if row["source"] != MEASURED]
    # one source needs no column
    labels_shown = LABELS if printed else ("model", "judge")
    return Table(measured, labels_shown, columns, title, notes, printed, folded, data)
