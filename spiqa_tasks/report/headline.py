"""Values of runs as flat records, and tables of a task's runs beside the rows of its paper, overall and by group."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, by_group, overall
from spiqa_tasks.analysis.merging import differing
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE, PublishedValue, published_values
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.published import reported
from spiqa_tasks.report.plots import ROWS
from spiqa_tasks.report.printer import Column, Columns, Table, shown
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number, without_nan

PLOTTED = {"category": "category", "type": "type of figure", "figures": "number of figures shown"}
"""Kind of group that is plotted -> its name; the others have too many groups for a plot."""
MEASURED = "measured"
"""Source of computed values; published ones name the paper's table."""

_NAMES = {
    **PLOTTED,
    "direction": "direction",
    "subcategory": "detailed axis",
    "released_type": "type as released",
}
_HIDDEN = frozenset({"nonplot"})
_MOST_COLUMNS = 6
"""Groups that stand as columns, as in the papers' tables; more (MMStar's 18 axes) are rows."""
Record = dict[str, Any]


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table that are better when higher, the headline first."""
    rows = set(run.own.benchmark.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


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
    """Return a flat record of each value of a run, in natural units (0 to 1, CIDEr 0 to 10), None where withheld.

    `group` is `all` for all answers; `questions` says how many of the group's questions were answered, `n of N`.
    """
    judge = judge_of(run)
    return [
        {
            "model": run.name,
            "source": MEASURED,
            "judge": judge,
            "benchmark": run.own.benchmark.name if run.is_own else "",
            "split": run.own.split if run.is_own else "",
            "task": run.task,
            "metric": value.metric,
            "group": value.group,
            **without_nan({name: getattr(value, name) for name in ("value", "low", "high")}),
            "n": value.n,
            "questions": value.questions,
            "signature": run.signature.text,
        }
        for value in values
    ]


def printed_record(value: PublishedValue, task: str, judge: str = "") -> Record:
    """Return a record of a published value, with the fields of a measured one that a paper has."""
    group, source = value.group or OVERALL, f"published, {value.table}"
    names = {
        "model": value.model,
        "source": source,
        "judge": judge,
        "task": task,
        "metric": value.metric,
    }
    return {
        **names,
        "group": group,
        "value": value.value,
        "low": None,
        "high": None,
        "n": None,
        "questions": "",
    }


def published_records(runs: Iterable[Run]) -> list[Record]:
    """Return the records of what the paper prints for the runs' splits, settings and metrics."""
    found: dict[tuple[str, PublishedValue], str] = {}
    for run in {(run.task, run.own.split, run.own.settings_text): run for run in runs}.values():
        needs = {metric.name: metric.needs for metric in shown_metrics(run)}
        judge = PAPER_JUDGE if "judge" in needs.values() else ""
        found |= {
            (run.task, each): each.judge or judge
            for each in published_values(run)
            if each.metric in needs
        }
    return [printed_record(value, task, judge) for (task, value), judge in found.items()]


def reported_records(runs: Iterable[Run]) -> list[Record]:
    """Return the records of what others report for the runs' tasks, with `sd` (None if not reported) and `url`."""
    found = []
    for run in {run.task: run for run in runs}.values():
        known = {metric.name for metric in shown_metrics(run)}
        for row in reported():
            if (
                run.task in str(row["tasks"]).split()
                and row["metric"] in known
                and isinstance(row["value"], float)
            ):
                model, source = f"{row['model']}, {row['how']}", str(row["source"])
                value = PublishedValue(model, source, str(row["metric"]), None, row["value"] / 100)
                record = printed_record(value, run.task, str(row["judge"] or ""))
                found.append(
                    {**record, "source": f"reported, {source}", "sd": row["sd"], "url": row["url"]}
                )
    return found


def flat_records(runs: Sequence[Run]) -> list[Record]:
    """Return the records of runs: the headline by group, the other metrics overall."""
    return [
        record
        for run in runs
        for record in records_of(
            run, [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]
        )
    ]


def size_of(record: Record) -> str:
    """Return a record's `n of N` where a part of the questions was answered, else its n."""
    answered, _, every = record["questions"].partition(" of ")
    return shown(record["n"]) if answered == every else str(record["questions"])


def cell_of(record: Record) -> str:
    """Return a record's value times 100 with its interval or deviation, and `n of N` if it is of a part of a task."""
    size, sd = size_of(record), record.get("sd")
    more = f" ({size})" if " of " in size else "" if sd is None else f" ± {sd}"
    return number(record["value"], record["low"], record["high"]) + more


def lines_of(records: Iterable[Record], head: Callable[[Record], str]) -> list[Record]:
    """Return a line for each model and judge, with its sources and a cell for each record under its heading."""
    lines: dict[tuple[str, str], Record] = {}
    for record in records:
        names = {name: record[name] for name in ("model", "judge")}
        about = {
            **names,
            "judge": record["judge"] or "-",
            "source": [],
            "n": size_of(record),
            "cells": {},
        }
        line = lines.setdefault((*names.values(),), about)
        line["source"] += [record["source"]] if record["source"] not in line["source"] else []
        line["cells"].setdefault(head(record), cell_of(record))
    return [
        {**line, "source": ", ".join(line["source"]).replace(", published, ", ", ")}
        for line in lines.values()
    ]


def headline_table(runs: Sequence[Run]) -> Table:
    """Return every metric of the runs of one task, overall, and the paper's rows for the same split and setting."""
    metrics = {metric.name: metric for run in runs for metric in shown_metrics(run)}
    judged = any(metric.needs == "judge" for metric in metrics.values())
    measured = [
        record for run in runs for record in records_of(run, overall(run, shown_metrics(run)))
    ]
    others = reported_records(runs)
    printed = [record for record in published_records(runs) if record["group"] == OVERALL]
    columns: Columns = ["n", *(Column(("cells", name)) for name in metrics)]
    labels = ["model", "source", *["judge"] * judged]
    rows, *more = (
        lines_of(each, lambda record: str(record["metric"])) for each in (measured, printed, others)
    )
    title, notes = "Scores x 100, with 95% intervals", _notes(runs, bool(printed), judged)
    urls = ", ".join(dict.fromkeys(record["url"] for record in others))
    notes += [f"Reported rows are by others, in settings of their own: {urls}"] if urls else []
    return Table(rows, labels, columns, title, notes, [*more[0], *more[1]])


def group_values(runs: Sequence[Run]) -> dict[str, list[Record]]:
    """Return the records of the headline's values by kind of group, run by run."""
    found: dict[str, list[Record]] = {}
    for run in runs:
        kinds = {
            name: kind
            for record in (*run.questions, *run.records)
            for kind, name in record.groups.items()
        }
        for record in records_of(run, by_group(run, run.metrics[:1])):
            kind = kinds.get(record["group"], "")
            if record["group"] != OVERALL and kind not in _HIDDEN:
                found.setdefault(kind, []).append(record)
    return found


def group_table(runs: Sequence[Run], kind: str, measured: Sequence[Record]) -> Table:
    """Return the headline by the groups of one kind, the paper's values for them, and why others are withheld.

    A row is a model, or of more than `_MOST_COLUMNS` groups a group.
    """
    groups, metric = (
        list(dict.fromkeys(record["group"] for record in measured)),
        measured[0]["metric"],
    )
    printed = [
        each
        for each in published_records(runs)
        if each["group"] in groups and each["metric"] == metric
    ]
    of_parts = {run.name: run for run in runs if run.record_set.withheld() is None}
    notes = [
        f"{name}: {group} is withheld, {of_parts[name].value(of_parts[name].metric(metric), group).reason}."
        for name, group, value in (
            (record["model"], record["group"], record["value"]) for record in measured
        )
        if value is None and name in of_parts
    ]
    title, folded = f"{metric} by {_NAMES.get(kind, kind)}", kind not in PLOTTED
    if len(groups) > _MOST_COLUMNS:
        best = list(dict.fromkeys(record["model"] for record in measured))
        kept = [*(record for record in measured if record["model"] in best[:ROWS]), *printed]
        heads = [
            each["model"] + each["source"].removeprefix(MEASURED).replace("published", "")
            for each in kept
        ]
        rows = [
            {**each, "model": each["group"], "judge": "", "source": h}
            for each, h in zip(kept, heads, strict=True)
        ]
        if len(best) > ROWS:
            notes.append(
                f"The {ROWS} best of {len(best)} models stand here; `spiqa-tasks report --csv FILE` has all."
            )
        columns: Columns = [Column(("cells", head)) for head in dict.fromkeys(heads)]
        lines = lines_of(rows, lambda record: str(record["source"]))
        return Table(lines, [Column("model", "group")], columns, title, notes, folded=folded)
    rows, published = (
        lines_of(each, lambda record: str(record["group"])) for each in (measured, printed)
    )
    values: Columns = [Column(("cells", group)) for group in groups]
    return Table(rows, ["model", "source"], values, title, notes, published, folded)


def _notes(runs: Sequence[Run], is_published: bool, judged: bool) -> list[str]:
    """Return signature fields in which the runs differ, withheld metrics, and what cannot be compared."""
    differences = {
        name: f"Compared numbers differ in {name} ({runs[0].name} and {run.name})."
        for run in runs[1:]
        for name in differing(runs[0].signature, run.signature)
    }
    values = {
        (run.name, metric.name): run.value(metric) for run in runs for metric in shown_metrics(run)
    }
    notes = [
        f"{run}: {metric} is withheld, {each.reason}."
        for (run, metric), each in values.items()
        if each.reason
    ]
    if not is_published:
        notes.append("The paper prints no row for this split and setting.")
    return [
        *differences.values(),
        *notes,
        *["Scores of different judges are not comparable."] * judged,
    ]
