"""Overview of a report, as a meeting is shown it: models ranked on each task, and which differ significantly."""

import math
from collections.abc import Iterable, Sequence

from spiqa_tasks.analysis.breakdown import OVERALL, overall
from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE
from spiqa_tasks.report import headline, plots
from spiqa_tasks.report.headline import Record
from spiqa_tasks.report.plots import Plot
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.runs.run import Run

SIGNIFICANT = 0.05
"""Corrected p-value below which a difference is called significant."""
_NAMED = 3
"""Models, and comparisons of one model, that a sentence names: the table has all."""
_BESIDE = 10
"""Rows of a plot that published and reported values take at least, if there are so many."""
_COLOURS = {"measured": 0, "published": 7, "reported": 1}


def ranked(runs: Iterable[Run]) -> list[Run]:
    """Return runs of one task, the best by the headline first, withheld ones last."""
    known = [(-run.value(run.metrics[0]).value if run.metrics else math.nan, run) for run in runs]
    return [run for _, run in sorted(known, key=lambda each: (math.isnan(each[0]), each[0]))]


def table(runs: Sequence[Run]) -> Table:
    """Return the headline of every run, task by task, the best first; equal values share the better rank."""
    rows = []
    for task in dict.fromkeys(run.task for run in runs):
        records = _headlines(ranked(run for run in runs if run.task == task))
        values = [record["value"] for record in records if record["value"] is not None]
        for record in records:
            rank = (
                "-"
                if record["value"] is None
                else 1 + sum(value > record["value"] for value in values)
            )
            rows.append({**record, "rank": rank, "score": headline.cell_of(record)})
    columns: Columns = ["rank", "model", "judge", "metric", Column("score", "x 100")]
    title = "Models ranked by the headline of each task, x 100, with 95% intervals"
    return Table(rows, ["task"], columns, title, folded=len(rows) > plots.ROWS)


def conclusions(found: Sequence[Comparison]) -> list[str]:
    """Return a sentence for each task: which of its runs differ significantly."""
    tasks = dict.fromkeys(each.task for each in found)
    return [_conclusion(task, [each for each in found if each.task == task]) for task in tasks]


def ranking(runs: Sequence[Run]) -> list[Plot]:
    """Return a plot of a task's headlines, its paper's rows and those that others report; [] of fewer than two rows."""
    task, metric = runs[0].task, runs[0].metrics[0].name if runs[0].metrics else ""
    others = [
        each
        for each in (*headline.published_records(runs), *headline.reported_records(runs))
        if (each["metric"], each["group"]) == (metric, OVERALL)
        and each["judge"] in ("", PAPER_JUDGE)
    ]
    own, beside = _best(_headlines(runs)), _best(others)
    kept = own[: plots.ROWS - min(_BESIDE, len(beside))]
    kept += beside[: plots.ROWS - len(kept)]
    judge = f" (judge {PAPER_JUDGE})" if any(each["judge"] for each in beside) else ""
    labels = {source: source + judge * (source != headline.MEASURED) for source in _COLOURS}
    series: dict[str, dict[str, plots.Point]] = {label: {} for label in labels.values()}
    for each in kept:
        source, _, table = each["source"].partition(", ")
        name = f"{each['model']} ({table})" if source == "published" else each["model"]
        series[labels[source]][name] = (each["value"], each["low"], each["high"])
    series = {label: points for label, points in series.items() if points}
    colours = {labels[source]: colour for source, colour in _COLOURS.items()}
    title = f"{metric} on {task}{plots.limited(len(kept), len(own) + len(beside), 'rows')}"
    return [plots.intervals(title, series, f"{metric} x 100", colours)] if len(kept) > 1 else []


def _headlines(runs: Iterable[Run]) -> list[Record]:
    return [
        each for run in runs for each in headline.records_of(run, overall(run, run.metrics[:1]))
    ]


def _best(records: Iterable[Record]) -> list[Record]:
    known = (record for record in records if record["value"] is not None)
    return sorted(known, key=lambda record: -float(record["value"]))


def _conclusion(task: str, found: Sequence[Comparison]) -> str:
    significant = [
        each for each in found if each.p_corrected is not None and each.p_corrected < SIGNIFICANT
    ]
    better: dict[str, list[str]] = {}
    for each in sorted(significant, key=lambda each: -max(each.score_a, each.score_b)):
        best, other = (each.b, each.a) if each.difference.difference > 0 else (each.a, each.b)
        better.setdefault(best, []).append(other)
    count = f"{len(significant) or 'none'} of {len(found)} compared pairs"
    named = _some(
        [f"{best} is better than {_some(others, ', ')}" for best, others in better.items()], "; "
    )
    limits = (
        " Mind the notes in Comparison of runs."
        if any(each.warnings for each in significant)
        else ""
    )
    of = f"differ significantly in {found[0].metric} (Holm's p < {SIGNIFICANT})"
    return f"{task}: {count} {of}{': ' if named else ''}{named}.{limits}"


def _some(texts: Sequence[str], separator: str) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return separator.join(texts[:_NAMED]) + more
