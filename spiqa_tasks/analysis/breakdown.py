"""Any metric by any group of answers, with 95% intervals, and by a measured property of the questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.analysis.own_runs import OwnRun
from spiqa_tasks.benchmarks.aggregation import Metric, Value, in_group
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.benchmarks.value_intervals import interval
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.binning import bin_index, quantile_bins

OVERALL = "all"


@dataclass(frozen=True)
class GroupValue:
    """A metric's value, in natural units, over the `n` scored answers of one group, with its 95% interval.

    `value` is NaN where it is withheld, `low` and `high` where there is no interval; `low_value` and `high_value` are
    the ends of a bin (None for a named group).
    """

    model: str
    task: str
    metric: str
    group: str
    n: int
    value: float
    low: float
    high: float
    low_value: float | None = None
    high_value: float | None = None


def by_group(run: OwnRun, metrics: Sequence[Metric]) -> list[GroupValue]:
    """Return each metric overall, then for every group, kind by kind, names in alphabetical order within a kind.

    Source: SciFIBench section 4.5 and Table 5; SPIQA Tables 6 and 7; MMStar Table 5.
    """
    rows = []
    for metric in metrics:
        members = run.records if metric.of_documents else run.questions
        rows += overall(run, [metric])
        for group in _ordered(members):
            rows.append(_row(run, metric, group, run.value(metric, group), in_group(members, group)))
    return rows


def overall(run: OwnRun, metrics: Sequence[Metric]) -> list[GroupValue]:
    """Return each metric over all answers."""
    found = [(metric, run.records if metric.of_documents else run.questions) for metric in metrics]
    return [_row(run, metric, OVERALL, run.value(metric), members) for metric, members in found]


def by_property(run: OwnRun, metric: Metric, name: str, bins: int) -> list[GroupValue]:
    """Return one row per bin of a property that the benchmark measures of a question, such as a caption's length.

    Raises:
        InputError: the benchmark has no such property, or fewer than one bin.
        DataError: the questions' data is not there.
    """
    measure = run.benchmark.properties.get(name)
    if measure is None or bins < 1:
        raise InputError(
            f"Expected a task that has the property {name}, and at least one bin; found {run.task} and {bins} bins."
        )
    settings = settings_text(run.benchmark.measured(run.settings))
    known = {record.id: record for record in run.questions}
    rows = load_rows(run.benchmark.name, run.split, settings)
    values = {row["id"]: measure(row) for row in rows if row["id"] in known}
    edges = quantile_bins(list(values.values()), bins)
    found = []
    for index, (low, high) in enumerate(edges):
        members = [known[key] for key, value in values.items() if bin_index(value, edges) == index]
        label = f"{low:.0f} to {high:.0f}"
        found.append(_row(run, metric, label, metric.compute(members), members, low, high))
    return found


def _ordered(records: Sequence[Record]) -> list[str]:
    kinds: dict[str, set[str]] = {}
    for record in records:
        for kind, name in record.groups.items():
            kinds.setdefault(kind, set()).add(name)
    return [name for names in kinds.values() for name in sorted(names)]


def _row(run: OwnRun, metric: Metric, group: str, value: Value, members: Sequence[Record], *ends: float) -> GroupValue:
    ends_of_interval = None if math.isnan(value.value) else interval(value, members)
    low, high = ends_of_interval or (math.nan, math.nan)
    return GroupValue(run.model, run.task, metric.name, group, value.n, value.value, low, high, *ends)
