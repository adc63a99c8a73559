"""A paper's main table with rows for measured models: all tasks and metrics in one row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spiqa_tasks.analysis.breakdown import overall
from spiqa_tasks.analysis.experiments import PAPERS
from spiqa_tasks.analysis.published_rows import (
    OVERALL,
    PAPER_JUDGE,
    PublishedValue,
    published_overall,
    published_values,
)
from spiqa_tasks.report.headline import judge_of, shown_metrics
from spiqa_tasks.report.printer import Column, Table, render
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import number

MEASURED = "measured"
"""Source of computed values; published ones name the paper's table."""
_KEY = ("model", "source", "judge")
"""Labels of a row of the table."""
_NO_MORE = {"low": math.nan, "high": math.nan, "questions": ""}
_SHORT = {
    "meteor": "M",
    "rouge_l": "R-L",
    "cider": "C",
    "bertscore_f1": "B-F1",
    "l3score": "L3S",
    "retrieval_accuracy": "Acc",
}
"""Metric -> its heading in SPIQA's tables."""


def records(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return a record per model, task and metric in natural units: what was measured, then what is published.

    Both have SciFIBench's overall accuracy of a direction where both subsets were run. L3Scores are published by the
    paper's judge alone.
    """
    measured = [record for run in runs for record in _measured(run)]
    published = [record for run in runs for record in _published(run)]
    for group, tasks in OVERALL.items():
        if {run.task for run in runs} >= set(tasks):
            measured += _means(measured, group, tasks)
            published += [_printed(value, group) for value in published_overall(group)]
    return [*measured, *published]


def paper_table(found: Sequence[Mapping[str, Any]], form: str) -> str:
    """Return the records in one of the forms: for people a row per model, a column per task and metric.

    The columns are those of the paper's table that prints the most of them, in its order; LaTeX has no intervals.
    """
    shown = _of_main_table(found)
    several = len({record["metric"] for record in shown}) > 1
    heads = [f" {_SHORT.get(record['metric'], record['metric'])}" if several else "" for record in shown]
    names = [_column(record["task"]) + head for record, head in zip(shown, heads, strict=True)]
    tasks = list(dict.fromkeys(_column(record["task"]) for record in found))
    columns = sorted(dict.fromkeys(names), key=lambda name: tasks.index(name.partition(" ")[0]))
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for record, name in zip(shown, names, strict=True):
        key = {part: record[part] for part in _KEY}
        ends = () if form == "latex" else (record["low"], record["high"])
        cell = number(record["value"], *ends) + (f" ({record['questions']})" if record["questions"] else "")
        rows.setdefault((*key.values(),), {**key, "cells": {}})["cells"][name] = cell
    return render(form, Table([*rows.values()], _KEY, [Column(("cells", column)) for column in columns], data=found))


def of_one_model(results: Sequence[Sequence[Run]]) -> list[Run]:
    """Return the runs of several tasks; unnamed files of one run each are taken for one model's."""
    runs = [run for each in results for run in each]
    names = list(dict.fromkeys(run.name for run in runs))
    told = [run for run in runs if run.name not in (run.path.stem, run.path.name)]
    if len(names) == 1 or told or any(len(each) != 1 for each in results):
        return runs
    return [replace(run, label=" + ".join(names)) for run in runs]


def _of_main_table(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the measured values by the metrics of the paper's main table, in its order, and that table's rows."""
    sources = Counter(record["source"] for record in found if record["source"] != MEASURED)
    if not sources:
        return list(found)
    main = sources.most_common(1)[0][0]
    order = list(dict.fromkeys(record["metric"] for record in found if record["source"] == main))
    kept = [record for record in found if record["metric"] in order and record["source"] in (MEASURED, main)]
    return sorted(kept, key=lambda record: (record["source"] == main, order.index(record["metric"])))


def _column(task: str) -> str:
    """Return a task's name without the benchmark's."""
    for name in PAPERS:
        task = task.removeprefix(f"{name}_")
    return task


def _measured(run: Run) -> Iterator[dict[str, Any]]:
    names = {"model": run.name, "source": MEASURED, "judge": judge_of(run), "task": run.task}
    for value in overall(run, shown_metrics(run)):
        numbers = {"value": value.value, "low": value.low, "high": value.high}
        yield {**names, "metric": value.metric, **numbers, "questions": run.record_set.part}


def _published(run: Run) -> Iterator[dict[str, Any]]:
    needs = {metric.name: metric.needs for metric in shown_metrics(run)}
    judge = PAPER_JUDGE if "judge" in needs.values() else "-"
    for value in published_values(run):
        if value.group is None and value.metric in needs and value.judge in ("", PAPER_JUDGE):
            yield _printed(value, run.task, judge)


def _printed(value: PublishedValue, task: str, judge: str = "-") -> dict[str, Any]:
    names = {"model": value.model, "source": f"published, {value.table}", "judge": judge, "task": task}
    return {**names, "metric": value.metric, "value": value.value, **_NO_MORE}


def _means(measured: Sequence[Mapping[str, Any]], group: str, tasks: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the mean over both subsets, of each model; they have 500 questions each, so that it needs no weights."""
    values: dict[tuple[str, ...], list[float]] = {}
    for record in measured:
        if record["task"] in tasks and record["metric"] == "accuracy":
            values.setdefault(tuple(record[name] for name in _KEY), []).append(record["value"])
    for key, each in values.items():
        if len(each) == len(tasks):
            names = dict(zip(_KEY, key, strict=True))
            yield {**names, "task": group, "metric": "accuracy", "value": sum(each) / len(each), **_NO_MORE}
