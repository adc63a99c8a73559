"""Values of runs, of papers and of others as records, a record per value, and tables of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from spiqa_tasks.analysis.breakdown import (
    MEASURED,
    OVERALL,
    ValueRecord,
    by_group,
    is_of_part,
    overall,
    record_of,
)
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.analysis.published_rows import (
    MEANS,
    PublishedValue,
    published_overall,
    published_values,
)
from spiqa_tasks.benchmarks.metric import SCORING_FAILED, Metric
from spiqa_tasks.published import reported
from spiqa_tasks.report.printer import Column, Table, number
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run

# The column of a value, beside its interval where it has one.
VALUE = Column("value", "x 100", number, ("low", "high"))

# Said below the values of MMStar, which has the same answers by several rules.
MATCHERS = (
    "accuracy_released, _vlmevalkit and _lmms_eval read the same answers by other rules; "
    "_lmms_eval averages over sub-axes."
)


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table that are better when higher, the headline first."""
    rows = set(run.own.benchmark.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


def flat_records(runs: Iterable[Run]) -> list[ValueRecord]:
    """Return the records of runs: the headline by group, the other metrics overall."""
    records = []
    for run in runs:
        records += [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]
    return records


def printed_record(value: PublishedValue, task: str) -> ValueRecord:
    """Return a record of a published value, with the fields of a measured one that a paper has."""
    return {
        "model": value.model,
        "source": f"published, {value.table}",
        "judge": value.judge,
        "task": task,
        "metric": value.metric,
        "group": value.group or OVERALL,
        "value": value.value,
    }


def printed_records(runs: Iterable[Run], table: str | None = None) -> list[ValueRecord]:
    """Return the records of what papers print, and others report, for the runs' tasks.

    `table` names the only table of a paper to read, such as `Table 3`.
    """
    records = []
    for task, run in {run.task: run for run in runs}.items():
        records += [printed_record(value, task) for value in published_values(run, table)]
        if table is None:
            records += _reported(task)
    return records


def _reported(task: str) -> list[ValueRecord]:
    """Return what others than the papers report for a task, with `sd` and `url`."""
    records = []
    for row in reported():
        if task in str(row["tasks"]).split() and isinstance(row["value"], float):
            model = f"{row['model']}, {row['how']}"
            judge = str(row["judge"] or "")
            value = PublishedValue(model, "", str(row["metric"]), None, row["value"] / 100, judge)
            source = {"source": f"reported, {row['source']}", "sd": row["sd"], "url": row["url"]}
            records.append(printed_record(value, task) | source)
    return records


def size_of(record: ValueRecord) -> str:
    """Return a measured value's `n of N` where a part of the questions was answered, else its n."""
    return str(record["questions"] if is_of_part(record) else record["n"])


def cell_of(record: ValueRecord) -> str:
    """Return a value x 100 with its interval or deviation, and `n of N` if it is of a part."""
    text = number(record["value"], record.get("low"), record.get("high"))
    if record.get("sd") is not None:
        return f"{text} ± {record['sd']}"

    size = size_of(record) if "questions" in record else ""
    return f"{text} ({size})" if " of " in size else text


def cross_table(
    records: Sequence[ValueRecord], head: str, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """Return a table with a row per model, source and judge of runs, and a column per value of the
    field `head`.
    """
    labels = ("model", "source", "judge")
    judges = {
        record["model"]: record["judge"]
        for record in records
        if record["judge"] and record["source"] == MEASURED
    }
    rows: dict[tuple[str, ...], ValueRecord] = {}
    for record in records:
        named = {name: record[name] for name in labels}
        if record["source"] != MEASURED:
            # A printed row has metrics with and without a judge.
            named["judge"] = ""
        elif not record["judge"]:
            # So has a model's row, of several tasks.
            named["judge"] = judges.get(record["model"], "")
        row = rows.setdefault(tuple(named.values()), {**named, "cells": {}})
        row["cells"].setdefault(record[head], cell_of(record))

    heads = dict.fromkeys(record[head] for record in records)
    columns = [Column(f"cells.{name}", name) for name in heads]
    return Table(list(rows.values()), labels, columns, title, notes, data=records)


def models_table(runs: Sequence[Run], table: str | None = None) -> Table:
    """Return a row per model and a column per task and metric, with the rows of papers below.

    Of a paper's table the metrics are shown that it prints, by default each task's headline. Where
    both subsets of SciFIBench were run there is their mean, too.
    """
    measured = []
    headlines = []
    for run in runs:
        # where it was not judged, the headline is shown as missing, and nothing in its place
        first = headline(run)
        others = [metric for metric in shown_metrics(run) if metric.name != first.name]
        measured += overall(run, [first, *others])
        headlines.append(first.name)
    printed = printed_records(runs, table)

    names = [record["metric"] for record in printed] if table else []
    records = _with_columns([*measured, *printed, *_overall_means(measured)], names or headlines)
    return cross_table(records, "column", notes=judge_notes(records))


def judge_notes(records: Iterable[ValueRecord]) -> list[str]:
    """Return the sentence on judges, of runs and of papers, if there are several."""
    judges = list(dict.fromkeys(record["judge"] for record in records if record["judge"]))
    # papers name no provider: GPT-4o is openai:gpt-4o
    if len({judge.partition(":")[2] or judge for judge in map(str.lower, judges)}) < 2:
        return []
    return [f"Judges: {', '.join(judges)}. Scores of different ones are not comparable."]


def _with_columns(records: Sequence[ValueRecord], names: Sequence[str]) -> list[ValueRecord]:
    """Return the records of all answers by some metrics, with their columns and in the order of
    these: tasks by metrics.
    """
    tasks = dict.fromkeys(record["task"] for record in records)
    order = [f"{task} {name}" for task in tasks for name in dict.fromkeys(names)]
    kept = []
    for record in records:
        column = f"{record['task']} {record['metric']}"
        if column in order and record["group"] == OVERALL:
            kept.append({**record, "column": column})
    return sorted(kept, key=lambda record: order.index(record["column"]))


def _overall_means(measured: Sequence[ValueRecord]) -> list[ValueRecord]:
    """Return SciFIBench's overall accuracies, measured and printed, where both subsets were run."""
    means = []
    answered = {record["task"] for record in measured}
    for task, subsets in MEANS.items():
        if answered >= set(subsets):
            means += _means(measured, task, subsets)
            means += [printed_record(value, task) for value in published_overall(task)]
    return means


def _means(measured: Sequence[ValueRecord], task: str, subsets: Sequence[str]) -> list[ValueRecord]:
    """Return each model's mean over the subsets, which needs no weights: they are of one size."""
    of_model = defaultdict(list)
    for record in measured:
        if record["task"] in subsets and record["metric"] == "accuracy":
            of_model[record["model"]].append(record)

    means = []
    for members in of_model.values():
        values = [record["value"] for record in members]
        if len(members) == len(subsets) and None not in values:
            about = {name: members[0][name] for name in ("model", "source", "judge")}
            value = {"metric": "accuracy", "group": OVERALL, "value": sum(values) / len(values)}
            means.append({**about, "task": task, **value})
    return means


def score_table(run: Run, printed: set[str], *, is_named: bool = False) -> Table:
    """Return every value of a scored run, with counts, reasons and the signature below.

    Reasons in `printed`, of earlier tables, are left out, others are added to it. `is_named`:
    whether its title is the run's name and judge, as it is one of several.
    """
    values = []
    for name, value in scoring.values_of(run).items():
        # A count is no share; the line of counts has it.
        if name != SCORING_FAILED.name:
            metric, _, group = name.partition("/")
            values.append(record_of(run, metric, group or OVERALL, value))

    head = f"{run.task}, {run.coverage} questions" if run.record_set.part else run.task
    metric_column = Column(
        "metric",
        head,
        lambda metric, group: metric if group == OVERALL else f"{metric}/{group}",
        ["group"],
    )
    title = _title(run) if is_named else ""
    notes = _score_notes(run, printed)
    return Table(values, [metric_column], [VALUE, "n"], title, notes)


def _title(run: Run) -> str:
    """Return the run's name, with the judge of a task that has one."""
    if run.own.benchmark.judge(run.settings) is None:
        return run.name
    return f"{run.name}, judge {run.judge_name or 'none'}"


def _score_notes(run: Run, printed: set[str]) -> list[str]:
    """Return the counts, why values are withheld or left out, and the signature; see
    `score_table`.
    """
    score = scoring.score_object(run)
    counts = [f"{name} {n}" for name, n in score["counts"].items() if isinstance(n, int) and n]
    notes = [", ".join(counts)]

    withheld = run.record_set.withheld()
    if withheld is not None:
        notes.append(f"every value is withheld: {withheld.reason}; --partial prints it")
    else:
        names_of = defaultdict(list)
        for name, reason in score.get("omitted", {}).items():
            names_of[reason].append(name)
        reasons = [f"{', '.join(names)} left out: {reason}" for reason, names in names_of.items()]
        notes += [reason for reason in reasons if reason not in printed]
        printed.update(reasons)

    if "accuracy_lmms_eval" in score["metrics"]:
        notes.append(MATCHERS)
    return [*notes, f"signature: {run.signature.text}"]
