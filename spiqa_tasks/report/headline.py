"""Scores of a task's runs beside the rows of its paper: overall, by group, and as flat records."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, by_group, overall
from spiqa_tasks.analysis.pair import differing
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE, PublishedValue, published_values
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import number, without_nan

PLOTTED = {"category": "category", "type": "type of figure", "figures": "number of figures shown"}
"""Kind of group that is plotted -> its name; the others have too many groups for a plot."""

_NAMES = {**PLOTTED, "direction": "direction", "subcategory": "detailed axis", "released_type": "type as released"}
_HIDDEN = frozenset({"nonplot"})


def shown_metrics(run: Run) -> list[Metric]:
    """Return the metrics of the host's table that are better when higher, the headline first."""
    rows = set(run.own.entry.rows_of_table(run.settings))
    return [metric for metric in run.metrics if metric.name in rows and metric.higher_is_better]


def judge_of(run: Run) -> str:
    """Return the run's judge, with the model served if it differs; a dash without a judge."""
    served = {str(verdict["model"]) for record in run.questions for verdict in record.verdicts if verdict.get("model")}
    others = [model for model in sorted(served) if not run.signature.judge.endswith(model)]
    return (run.signature.judge or "-") + (f" (served as {', '.join(others)})" if others else "")


def answers(run: Run, value: GroupValue) -> str:
    """Return the number of answers of a value; `n of N questions` for a part of the task."""
    return f"{run.coverage} questions" if run.record_set.part else str(value.n)


def with_coverage(text: str, run: Run) -> str:
    """Return a text, with `n of N questions` appended for a run over a part of its task."""
    return f"{text}, {run.coverage} questions" if run.record_set.part else text


def made(run: Run) -> datetime:
    """Return when a run's answers were made: the time in the host's file name, else when the file was last written."""
    found = re.match(r"\d{8}_\d{6}(?=_)", run.path.name)
    if found:
        return datetime.strptime(found[0], "%Y%m%d_%H%M%S").replace(tzinfo=timezone.utc)
    return datetime.fromtimestamp(int(run.path.stat().st_mtime), timezone.utc)


def flat_records(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return one record per run, task, metric and group; the headline by group, the others overall.

    Values are natural (0 to 1, CIDEr 0 to 10), None where withheld; `group` is `all` for all answers, `questions` says
    how many of the task's were answered, `n of N`.
    """
    return [
        {
            "model": run.name,
            "benchmark": run.own.entry.name,
            "split": run.own.split,
            "task": run.task,
            "metric": value.metric,
            "group": value.group or OVERALL,
            **without_nan({name: getattr(value, name) for name in ("value", "low", "high")}),
            "n": value.n,
            "questions": run.coverage,
            "judge": run.signature.judge,
            "signature": run.signature.text,
        }
        for run in runs
        for value in [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]
    ]


def overview_table(runs: Sequence[Run]) -> Table:
    """Return the headline of every task, a column per run."""
    models = list(dict.fromkeys(run.name for run in runs))
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for run in runs:
        for value in overall(run, run.metrics[:1]):
            cells.setdefault((run.task, value.metric), {})[run.name] = with_coverage(_number(value), run)
    rows = [{"task": task, "metric": metric, "runs": runs} for (task, metric), runs in cells.items()]
    values: Columns = [Column(("runs", model)) for model in models]
    return Table(rows, ["task", "metric"], values, "Headlines x 100, with 95% intervals")


def headline_table(runs: Sequence[Run]) -> Table:
    """Return every metric of the runs of one task, overall, and the paper's rows for the same split and setting."""
    metrics = {metric.name: metric for run in runs for metric in shown_metrics(run)}
    judged = any(metric.needs == "judge" for metric in metrics.values())
    rows = []
    for run in runs:
        scores = overall(run, shown_metrics(run))
        n = next((answers(run, value) for value in scores), "0")
        cells = {value.metric: _number(value) for value in scores}
        rows.append({"model": run.name, "source": "measured", "judge": judge_of(run), "n": n, "metrics": cells})
    printed: dict[tuple[str, str], list[PublishedValue]] = {}
    for value in _published(runs):
        if value.group is None and value.metric in metrics:
            printed.setdefault((value.model, value.judge or PAPER_JUDGE), []).append(value)
    published = [
        {
            "model": model,
            "source": f"published, {', '.join(dict.fromkeys(value.table for value in values))}",
            "judge": judge,
            "metrics": {value.metric: number(value.value) for value in values},
        }
        for (model, judge), values in printed.items()
    ]
    columns: Columns = ["n", *(Column(("metrics", name)) for name in metrics)]
    notes = _notes(runs, bool(published), judged)
    labels = ["model", "source", *["judge"] * judged]
    return Table(rows, labels, columns, "Scores x 100, with 95% intervals", notes, published)


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


def group_table(runs: Sequence[Run], kind: str, scores: Sequence[GroupValue]) -> Table:
    """Return the headline by the groups of one kind, with the paper's values for them."""
    groups = list(dict.fromkeys(score.group for score in scores))
    metric = scores[0].metric
    rows = []
    for run in runs:
        cells = {score.group: _number(score) for score in scores if score.model == run.name}
        rows.append({"model": run.name, "source": with_coverage("measured", run), "groups": cells})
    printed: dict[tuple[str, str], dict[str, str]] = {}
    for value in _published(runs):
        if value.group in groups and value.metric == metric:
            printed.setdefault((value.model, value.table), {})[str(value.group)] = number(value.value)
    published = [
        {"model": model, "source": f"published, {table}", "groups": cells} for (model, table), cells in printed.items()
    ]
    title = f"{metric} by {_NAMES.get(kind, kind)}"
    values: Columns = [Column(("groups", group)) for group in groups]
    return Table(rows, ["model", "source"], values, title, (), published, kind not in PLOTTED)


def _number(value: GroupValue) -> str:
    return number(value.value, value.low, value.high)


def _published(runs: Sequence[Run]) -> list[PublishedValue]:
    return list(dict.fromkeys(value for run in runs for value in published_values(run)))


def _notes(runs: Sequence[Run], is_published: bool, judged: bool) -> list[str]:
    """Return signature fields in which the runs differ, withheld metrics, and what cannot be compared."""
    pairs = [(a, b, name) for a, b in itertools.combinations(runs, 2) for name in differing(a.signature, b.signature)]
    differences = {name: f"Compared numbers differ in {name} ({a.name} and {b.name})." for a, b, name in pairs}
    values = {(run.name, metric.name): run.value(metric) for run in runs for metric in shown_metrics(run)}
    notes = [f"{run}: {metric} is withheld, {each.reason}." for (run, metric), each in values.items() if each.reason]
    if not is_published and all(run.own.entry.definition is None for run in runs):
        notes.append("The paper prints no row for this split and setting.")
    return [*differences.values(), *notes, *["Scores of different judges are not comparable."] * judged]
