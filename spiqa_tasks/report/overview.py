"""Overview of a report: models ranked on each task, and which differ significantly."""

from collections.abc import Iterable, Sequence

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.published_rows import PAPER_JUDGE
from spiqa_tasks.demo.judge_server import MODEL as DEMO_JUDGE
from spiqa_tasks.report import plots
from spiqa_tasks.report.plots import Plot, Point
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.report.records import (
    MEASURED,
    Record,
    cell_of,
    headline_of,
    headline_records,
    published_records,
    reported_records,
    size_of,
)
from spiqa_tasks.runs.run import Run

# corrected p-value below which a difference is called significant
SIGNIFICANT = 0.05
_TEST = f"Holm's p < {SIGNIFICANT}"

# models, and comparisons of one model, that a sentence names: the table has all
_NAMED = 3

# rows of the ranking's plot that runs take at most; the others are for published values
_MOST_RUNS = 20

# number of the colour of each source, as far apart as they can be told
_COLOURS = {MEASURED: 0, "published": 7, "reported": 1}


def ranked(runs: Iterable[Run]) -> list[Run]:
    """Return runs of one task, the best by the headline first, those without a value last."""
    of_run = [(record["value"], run) for run in runs for record in headline_records([run])]
    known = [each for each in of_run if each[0] is not None]
    without = [run for value, run in of_run if value is None]
    return [run for _, run in sorted(known, key=lambda each: -each[0])] + without


def table(runs: Sequence[Run]) -> Table:
    """Return the headline of every run, task by task, the best first."""
    rows = []
    for task in dict.fromkeys(run.task for run in runs):
        best_first = ranked(run for run in runs if run.task == task)
        for record in headline_records(best_first):
            rows.append(
                {**record, "n": size_of(record), "score": cell_of({**record, "questions": ""})}
            )

    columns: Columns = ["model", "judge", "metric", Column("score", "x 100"), "n"]
    title = "Headline of each task, the best run first, x 100, with 95% intervals"
    return Table(rows, ["task"], columns, title, folded=len(rows) > plots.ROWS)


def unjudged(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run whose task's headline needs a judge that was not asked."""
    sentences = []
    for run in runs:
        name = headline_of(run)
        needs = {metric.name: metric.needs for metric in run.own.benchmark.metrics(run.settings)}
        if needs[name] == "judge" and name not in {metric.name for metric in run.metrics}:
            sentences.append(
                f"{run.task} of {run.name}: {name} is missing, no judge was asked. "
                "`spiqa-tasks score RUN --judge PROVIDER:MODEL --output DIR` asks one."
            )
    return sentences


def demo_judges(runs: Iterable[Run]) -> list[str]:
    """Return a sentence if the demo's judge scored answers: it counts common words."""
    if not any(run.signature.judge.endswith(DEMO_JUDGE) for run in runs):
        return []
    return [f"The demo judge {DEMO_JUDGE} counts common words: its L3Scores are no results."]


def conclusions(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a sentence for each task whose runs differ significantly, and one for the others."""
    by_task: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_task.setdefault(comparison.task, []).append(comparison)

    sentences = []
    equal = []
    for task, members in by_task.items():
        significant = [each for each in members if _is_significant(each)]
        if significant:
            sentences.append(_conclusion(task, significant, len(members)))
        else:
            equal.append(task)
    if equal:
        tasks = ", ".join(equal)
        sentences.append(f"No two runs differ significantly ({_TEST}) on {tasks}.")
    return sentences


def _is_significant(comparison: Comparison) -> bool:
    return comparison.p_corrected is not None and comparison.p_corrected < SIGNIFICANT


def ranking(runs: Sequence[Run]) -> list[Plot]:
    """Return a plot of a task's headlines beside its paper's rows and those that others report.

    [] if there is nothing to rank. Of L3Scores those by the paper's judge are drawn.
    """
    task, metric = runs[0].task, headline_of(runs[0])
    printed = [
        record
        for record in (*published_records(runs), *reported_records(runs))
        if (record["metric"], record["group"]) == (metric, OVERALL)
        and record["judge"] in ("", PAPER_JUDGE)
    ]
    own, others = _best_first(headline_records(runs)), _best_first(printed)
    kept = own[: max(_MOST_RUNS, plots.ROWS - len(others))]
    kept += others[: plots.ROWS - len(kept)]
    if len(kept) < 2:
        return []

    series: dict[str, dict[str, Point]] = {}
    colours = {}
    for record in kept:
        source, _, of_paper = record["source"].partition(", ")
        label = f"{source} (judge {record['judge']})" if _is_judged(record) else source
        name = f"{record['model']} ({of_paper})" if source == "published" else record["model"]
        series.setdefault(label, {})[name] = (record["value"], record["low"], record["high"])
        colours[label] = _COLOURS[source]
    title = f"{metric} on {task}{plots.limited(len(kept), len(own) + len(others), 'rows')}"
    return [plots.intervals(title, series, f"{metric} x 100", colours)]


def _is_judged(record: Record) -> bool:
    """Return whether a printed value is by a judge; runs have their judges in the tables."""
    return record["source"] != MEASURED and bool(record["judge"])


def _best_first(records: Iterable[Record]) -> list[Record]:
    known = [record for record in records if record["value"] is not None]
    return sorted(known, key=lambda record: -float(record["value"]))


def _conclusion(task: str, significant: Sequence[Comparison], compared: int) -> str:
    worse_than: dict[str, list[str]] = {}
    for each in sorted(significant, key=lambda each: -max(each.score_a, each.score_b)):
        is_b_better = each.difference.difference > 0
        better, worse = (each.b, each.a) if is_b_better else (each.a, each.b)
        worse_than.setdefault(better, []).append(worse)

    named = [
        f"{better} is better than {_some(worse, ', ')}" for better, worse in worse_than.items()
    ]
    warned = any(each.warnings for each in significant)
    remark = " Mind the notes in Comparison of runs." if warned else ""
    count = f"{len(significant)} of {compared} compared pairs differ significantly"
    metric = significant[0].metric
    return f"{task}: {count} in {metric} ({_TEST}): {_some(named, '; ')}.{remark}"


def _some(texts: Sequence[str], separator: str) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return separator.join(texts[:_NAMED]) + more
