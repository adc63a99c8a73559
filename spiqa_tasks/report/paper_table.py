"""A model's rows of a paper's main table, beside those that the paper prints: all tasks and metrics in one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import overall
from spiqa_tasks.analysis.published_rows import (
    OVERALL,
    PAPER_JUDGE,
    PublishedValue,
    published_overall,
    published_values,
)
from spiqa_tasks.report.forms import rendered
from spiqa_tasks.report.headline import judge_of, shown_metrics, with_coverage
from spiqa_tasks.report.tables import number
from spiqa_tasks.runs.run import Run

_NAN = float("nan")


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


def render(found: Sequence[Mapping[str, Any]], form: str) -> str:
    """Return the records in one of the forms: for people a row per model, a column per task and metric."""
    several = len({record["metric"] for record in found}) > 1
    names = [record["task"] + (f" {record['metric']}" if several else "") for record in found]
    columns = list(dict.fromkeys(names))
    table: dict[tuple[str, str, str], dict[str, str]] = {}
    for record, name in zip(found, names, strict=True):
        row = table.setdefault((record["model"], record["source"], record["judge"]), {})
        row[name] = number(record["value"], record["low"], record["high"])
    cells = [[*key, *(row.get(column, "") for column in columns)] for key, row in table.items()]
    return rendered(form, found, cells, ["model", "source", "judge", *columns])


def _measured(run: Run) -> Iterator[dict[str, Any]]:
    for value in overall(run, shown_metrics(run)):
        source = with_coverage("measured", run)
        yield _record(run.name, source, judge_of(run), run.task, value.metric, value.value, value.low, value.high)


def _published(run: Run) -> Iterator[dict[str, Any]]:
    names = {metric.name for metric in shown_metrics(run)}
    for value in published_values(run):
        if value.group is None and value.metric in names and value.judge in ("", PAPER_JUDGE):
            yield _printed(value, run.task)


def _printed(value: PublishedValue, task: str) -> dict[str, Any]:
    return _record(value.model, f"published, {value.table}", value.judge or "-", task, value.metric, value.value)


def _means(measured: Sequence[Mapping[str, Any]], group: str, tasks: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The mean over both subsets, of each model."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for record in measured:
        if record["task"] in tasks and record["metric"] == "accuracy":
            values.setdefault((record["model"], record["source"], record["judge"]), []).append(record["value"])
    for key, each in values.items():
        if len(each) == len(tasks):
            yield _record(*key, group, "accuracy", sum(each) / len(each))


def _record(
    model: str, source: str, judge: str, task: str, metric: str, value: float, low: float = _NAN, high: float = _NAN
) -> dict[str, Any]:
    names = {"model": model, "source": source, "judge": judge, "task": task, "metric": metric}
    return {**names, "value": value, "low": low, "high": high}
