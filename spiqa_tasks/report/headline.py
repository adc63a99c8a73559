"""What runs of one task scored, beside what its paper prints: overall, and by group."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, by_group, overall
from spiqa_tasks.analysis.compare import differing
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE, PublishedValue, published_values
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.report.tables import Table, TableLine, number
from spiqa_tasks.runs.run import Run

PLOTTED = {"category": "category", "type": "type of figure", "figures": "number of figures shown"}
"""The kinds of groups that are drawn, and what they are called."""

_NAMES = {**PLOTTED, "direction": "direction", "subcategory": "detailed axis", "released_type": "type as released"}
_HIDDEN = frozenset({"nonplot"})


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table of which more is better, the headline first."""
    rows = set(run.own.entry.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


def judge_of(run: Run) -> str:
    """Return the run's judge, with the model that its server named where that is another; a dash for none."""
    served = {str(verdict["model"]) for record in run.questions for verdict in record.verdicts if verdict.get("model")}
    others = [model for model in sorted(served) if not run.signature.judge.endswith(model)]
    return (run.signature.judge or "-") + (f" (served as {', '.join(others)})" if others else "")


def answers(run: Run, value: GroupValue) -> str:
    """Return how many answers a value is over, `n of N questions` where that is a part of the task."""
    return f"{run.coverage} questions" if run.record_set.part else str(value.n)


def with_coverage(text: str, run: Run) -> str:
    """Return a text with `n of N questions` behind it where a run is over a part of its task."""
    return f"{text}, {run.coverage} questions" if run.record_set.part else text


def overview_table(runs: Sequence[Run]) -> Table:
    """Return the headline of every task, a column per run."""
    models = list(dict.fromkeys(run.name for run in runs))
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for run in runs:
        for value in overall(run, run.metrics[:1]):
            score = with_coverage(number(value.value, value.low, value.high), run)
            cells.setdefault((run.task, value.metric), {})[run.name] = score
    lines = [TableLine([*key, *(found.get(model, "") for model in models)]) for key, found in cells.items()]
    return Table("Headlines x 100, with 95% intervals", ["task", "metric", *models], lines, texts=2)


def headline_table(runs: Sequence[Run]) -> Table:
    """Return every metric of the runs of one task, overall, and the paper's rows for the same split and setting."""
    names = list(dict.fromkeys(metric.name for run in runs for metric in shown_metrics(run)))
    lines = [_measured(run, names) for run in runs]
    printed = _distinct(value for run in runs for value in published_values(run) if value.group is None)
    by_row: dict[tuple[str, str], dict[str, PublishedValue]] = {}
    for value in printed:
        by_row.setdefault((value.model, value.judge or PAPER_JUDGE), {})[value.metric] = value
    judged = any(metric.needs == "judge" for run in runs for metric in shown_metrics(run))
    for (model, judge), values in by_row.items():
        tables = ", ".join(dict.fromkeys(value.table for value in values.values() if value.metric in names))
        cells = [number(values[name].value) if name in values else "" for name in names]
        if any(cells):
            lines.append(TableLine([model, f"published, {tables}", judge if judged else "-", "", *cells], "published"))
    columns = ["model", "source", "judge", "n", *names]
    if not judged:
        columns, lines = _without(2, columns, lines)
    notes = [*_differences(runs), *_notes(runs, lines, judged)]
    return Table("Scores x 100, with 95% intervals", columns, lines, notes, 3 if judged else 2)


def group_values(runs: Sequence[Run]) -> dict[str, list[GroupValue]]:
    """Return the headline's values by kind of group, run by run."""
    found: dict[str, list[GroupValue]] = {}
    for run in runs:
        members = [*run.questions, *run.records]
        kinds = {name: kind for record in members for kind, name in record.groups.items()}
        for value in by_group(run, run.metrics[:1]):
            if value.group != OVERALL and kinds[value.group] not in _HIDDEN:
                found.setdefault(kinds[value.group], []).append(value)
    return found


def group_table(runs: Sequence[Run], kind: str, values: Sequence[GroupValue]) -> Table:
    """Return the headline by the groups of one kind, with the paper's values for them."""
    groups = list(dict.fromkeys(value.group for value in values))
    metric = values[0].metric
    lines = []
    for run in runs:
        own = {value.group: value for value in values if value.model == run.name}
        cells = [number(own[name].value, own[name].low, own[name].high) if name in own else "" for name in groups]
        lines.append(TableLine([run.name, with_coverage("measured", run), *cells]))
    printed: dict[tuple[str, str], dict[str, PublishedValue]] = {}
    for value in _distinct(value for run in runs for value in published_values(run)):
        if value.group in groups and value.metric == metric:
            printed.setdefault((value.model, value.table), {})[str(value.group)] = value
    for (model, table), cells_of in printed.items():
        cells = [number(cells_of[name].value) if name in cells_of else "" for name in groups]
        lines.append(TableLine([model, f"published, {table}", *cells], "published"))
    return Table(
        f"{metric} by {_NAMES.get(kind, kind)}", ["model", "source", *groups], lines, (), 2, kind not in PLOTTED
    )


def _measured(run: Run, names: Sequence[str]) -> TableLine:
    rows = {value.metric: value for value in overall(run, shown_metrics(run))}
    cells = [number(rows[name].value, rows[name].low, rows[name].high) if name in rows else "" for name in names]
    n = next((answers(run, value) for value in rows.values()), "0")
    return TableLine([run.name, "measured", judge_of(run), n, *cells])


def _distinct(values: Iterable[PublishedValue]) -> list[PublishedValue]:
    return list(dict.fromkeys(values))


def _without(place: int, columns: list[str], lines: list[TableLine]) -> tuple[list[str], list[TableLine]]:
    shorter = [TableLine([*line.cells[:place], *line.cells[place + 1 :]], line.kind) for line in lines]
    return [*columns[:place], *columns[place + 1 :]], shorter


def _differences(runs: Sequence[Run]) -> list[str]:
    """A warning for every field in which runs of the task differ."""
    found = {
        difference: f"Compared numbers differ in {difference} ({a.name} and {b.name})."
        for a, b in itertools.combinations(runs, 2)
        for difference in differing(a.signature, b.signature)
    }
    return list(found.values())


def _notes(runs: Sequence[Run], lines: Sequence[TableLine], judged: bool) -> list[str]:
    values = {(run.name, metric.name): run.value(metric) for run in runs for metric in shown_metrics(run)}
    notes = [f"{run}: {metric} is withheld, {each.reason}." for (run, metric), each in values.items() if each.reason]
    has_paper = all(run.own.entry.definition is None for run in runs)
    if has_paper and not any(line.kind == "published" for line in lines):
        notes.append("The paper prints no row for this split and setting.")
    if judged:
        notes.append("Scores of different judges are not comparable.")
    return notes
