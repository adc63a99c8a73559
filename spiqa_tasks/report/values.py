"""Values measured, published in papers and reported by others as records, and tables of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from spiqa_tasks.analysis.breakdown import (
    MEASURED,
    OVERALL,
    ValueRecord,
    by_group,
    overall,
    part_of,
    record_of,
)
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.analysis.published_rows import (
    MEANS,
    published_overall,
    published_values,
)
from spiqa_tasks.benchmarks.metric import SCORING_FAILED, Metric
from spiqa_tasks.published import reported
from spiqa_tasks.report.printer import Column, Table, number
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run

# The column of a value, with its interval if it has one.
VALUE = Column("value", "x 100", number, ("low", "high"))

# The column of a judge. The address of a server of one's own would fill a line.
JUDGE = Column("judge", show=lambda judge: judge.partition("@http")[0])

# The column of how many of the questions were answered; empty if all were.
PART = Column("questions", show=part_of)

# Note below the values of MMStar.
MATCHERS = (
    "accuracy_released, _vlmevalkit and _lmms_eval read the same answers by other rules; "
    "_lmms_eval averages over sub-axes."
)


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table in which higher is better, the headline first."""
    rows = set(run.benchmark_task.benchmark.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


def flat_records(runs: Iterable[Run]) -> list[ValueRecord]:
    """Return the records of runs: the headline by group, the other metrics overall."""
    records = []
    for run in runs:
        records += [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]
    return records


def printed_records(runs: Iterable[Run], table: str | None = None) -> list[ValueRecord]:
    """Return the published and the reported values of the runs' tasks as records.

    `table`: return the values of this table alone, such as `Table 3`.
    """
    records = []
    for task, run in {run.task: run for run in runs}.items():
        records += published_values(run, table)
        if table is None:
            records += _reported(task)
    return records


def _reported(task: str) -> list[ValueRecord]:
    """Return the values of a task that others than the papers report, with `sd` and `url`."""
    records = []
    for row in reported():
        if task in str(row["tasks"]).split() and isinstance(row["value"], float):
            records.append(
                {
                    "model": f"{row['model']}, {row['how']}",
                    "source": f"reported, {row['source']}",
                    "judge": row["judge"] or "",
                    "task": task,
                    "metric": row["metric"],
                    "group": OVERALL,
                    "value": row["value"] / 100,
                    "sd": row["sd"],
                    "url": row["url"],
                }
            )
    return records


def cell_of(record: ValueRecord) -> str:
    """Return `75.0 [30.1, 95.4]`: a value x 100 with its interval, and that of others with `± 1.2`
    if its standard deviation is known.
    """
    text = number(record["value"], record.get("low"), record.get("high"))
    return text if record.get("sd") is None else f"{text} ± {record['sd']}"


def _size_text(record: ValueRecord) -> str:
    """Return ` (4 of 5)` for a value of a part, ` (n=4)` for another one of a group, or ''."""
    if part := part_of(record.get("questions", "")):
        return f" ({part})"
    return f" (n={record['n']})" if record.get("by") else ""


def cross_table(
    records: Sequence[ValueRecord], head: str, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """Return a table with a row per model, source and judge, and a column per value of the field
    `head`, such as `metric`.

    The number of answers is in the heading, or in the cells if the runs differ. Values that need no
    judge, such as BLEU, are in the row of the model's first judge; a paper's row has none.
    """
    sizes: dict[str, str] = {}
    for record in records:
        text = _size_text(record)
        if record["source"] == MEASURED and sizes.setdefault(record[head], text) != text:
            sizes[record[head]] = ""

    judges = _judges(records)
    rows: dict[tuple[str, str, str], ValueRecord] = {}
    for record in records:
        model, source, name = record["model"], record["source"], record[head]
        judge = record["judge"] or judges.get(model, "") if source == MEASURED else ""
        row = {"model": model, "source": source, "judge": judge, "cells": {}}
        row = rows.setdefault((model, source, judge), row)
        cell = cell_of(record) + _size_text(record)
        row["cells"].setdefault(name, cell.removesuffix(sizes.get(name, "")))

    heads = dict.fromkeys(record[head] for record in records)
    columns: list[Column | str] = ["model", "source", JUDGE]
    columns += [Column(f"cells.{name}", name + sizes.get(name, "")) for name in heads]
    return Table(list(rows.values()), columns, title, notes, records)


def _judges(records: Sequence[ValueRecord]) -> dict[str, str]:
    """Return model -> the first judge of its measured values, of those with a judge."""
    # From the last record to the first, whose judge replaces the others.
    return {
        record["model"]: record["judge"]
        for record in reversed(records)
        if record["judge"] and record["source"] == MEASURED
    }


def models_table(runs: Sequence[Run], table: str | None = None) -> Table:
    """Return a table with a row per model, published rows below, and a column per task and metric.

    The metrics are the headline of each task and, if `table` names a table of a paper, the others
    of that one. If both subsets of SciFIBench were run, their mean has a column.
    """
    measured = []
    for run in runs:
        # Of a run without a judge the headline is L3Score, a missing value.
        metrics = {metric.name: metric for metric in (headline(run), *shown_metrics(run))}
        measured += overall(run, [*metrics.values()])
    printed = printed_records(runs, table)

    names = [headline(run).name for run in runs]
    names += [record["metric"] for record in printed if table]
    records = _with_columns([*measured, *printed, *_overall_means(measured)], names)
    return cross_table(records, "column", notes=judge_notes(records))


def judge_notes(records: Iterable[ValueRecord]) -> list[str]:
    """Return [a sentence on the judges of measured and published values], or [] without any."""
    judges = list(dict.fromkeys(record["judge"] for record in records if record["judge"]))
    # A paper's `GPT-4o` is our `openai:gpt-4o`.
    models = {judge.lower().split(":", 1)[-1] for judge in judges}
    warning = " Scores of different ones are not comparable." if len(models) > 1 else ""
    return [f"Judges: {', '.join(judges)}.{warning}"] if judges else []


def _with_columns(records: Sequence[ValueRecord], names: Sequence[str]) -> list[ValueRecord]:
    """Return the overall records of some metrics, each with its `column`, `<task> <metric>`.

    They are in the order of the columns: all metrics of the first task, of the second, ...
    """
    tasks = [record["task"] for record in records]
    kept = [
        {**record, "column": f"{record['task']} {record['metric']}"}
        for record in records
        if record["group"] == OVERALL and record["metric"] in names
    ]
    return sorted(kept, key=lambda each: (tasks.index(each["task"]), names.index(each["metric"])))


def _overall_means(measured: Sequence[ValueRecord]) -> list[ValueRecord]:
    """Return SciFIBench's accuracies over both subsets, which are of equal size: of each model that
    has both, and those that are published.
    """
    means = []
    for task, subsets in MEANS.items():
        values = defaultdict(list)
        for record in measured:
            is_of_subset = record["task"] in subsets and record["metric"] == "accuracy"
            if is_of_subset and record["value"] is not None:
                values[record["model"], record["judge"]].append(record["value"])

        labels = {"source": MEASURED, "task": task, "metric": "accuracy", "group": OVERALL}
        of_models = [
            {**labels, "model": model, "judge": judge, "value": fmean(of_model)}
            for (model, judge), of_model in values.items()
            if len(of_model) == len(subsets)
        ]
        if of_models:
            means += of_models
            means += published_overall(task)
    return means


def score_table(run: Run, *, is_named: bool = False) -> Table:
    """Return every value of a scored run, and as notes its counts, the reasons why values are
    missing, and its signature.

    Metrics that could not be computed, but for the headline, have a reason in place of a row.
    `is_named`: whether the title is the run's name and judge, for one of several runs.
    """
    values = _value_records(run)
    head = f"{run.task}, {run.coverage} questions" if run.record_set.part else run.task
    metric_column = Column(
        "metric",
        head,
        lambda metric, group: metric if group == OVERALL else f"{metric}/{group}",
        ["group"],
    )
    title = _title(run) if is_named else ""
    left_out = run.reported.omitted.keys() - {run.benchmark_task.metrics[0].name}
    shown = [record for record in values if record["metric"] not in left_out]
    return Table(shown, [metric_column, VALUE, "n"], title, _score_notes(run), values)


def _value_records(run: Run) -> list[ValueRecord]:
    """Return a record of every value of a scored run."""
    metrics = {metric.name: metric for metric in run.benchmark_task.metrics}
    values = []
    for row, value in scoring.values_of(run).items():
        # A count, which is no value to be shown x 100; it is among the counts.
        if row != SCORING_FAILED.name:
            name, _, group = row.partition("/")
            members = run.record_set.members(metrics[name], group or None)
            values.append(record_of(run, name, group or OVERALL, value, members=members))
    return values


def _title(run: Run) -> str:
    """Return the run's name and, if its task needs a judge, the judge."""
    if run.benchmark_task.benchmark.judge(run.settings) is None:
        return run.name
    return f"{run.name}, judge {run.judge_name or 'none'}"


def _score_notes(run: Run) -> list[str]:
    """Return the notes of `score_table`."""
    score = scoring.score_object(run)
    counts = [f"{name} {n}" for name, n in score["counts"].items() if isinstance(n, int) and n]
    notes = [", ".join(counts)]

    withheld = run.record_set.withheld()
    if withheld:
        notes.append(f"every value is withheld: {withheld}; --partial prints it")
    else:
        names_of = defaultdict(list)
        for name, reason in score.get("omitted", {}).items():
            names_of[reason].append(name)
        notes += [f"{', '.join(names)} left out: {reason}" for reason, names in names_of.items()]

    if "accuracy_lmms_eval" in score["metrics"]:
        notes.append(MATCHERS)
    return [*notes, f"signature: {run.signature.text}"]
