"""Report of runs: its sections, each of tables and plots."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.gain import Row
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.report import overview, plots, tables, task_tables
from spiqa_tasks.report.head import facts, title_of
from spiqa_tasks.report.plots import Plot, Point
from spiqa_tasks.report.printer import Table
from spiqa_tasks.report.records import Record
from spiqa_tasks.runs.run import Run

# pairs of runs of a task that are compared: more would be a table that nobody reads
MOST_PAIRS = 50

Colours = Mapping[str, int]
"""Label of a run -> number of its colour, the same in every plot."""


@dataclass(frozen=True)
class Section:
    """Section of a report; `notes` are sentences above its tables."""

    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """Report of `runs` of this package's tasks.

    Attributes:
        notes: on runs that could not be read.
        head: facts about the runs, name -> lines.
    """

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[Run]
    head: Mapping[str, Sequence[str]] = field(default_factory=dict)


def build(
    runs: Sequence[Run], notes: Sequence[str] = (), title: str = "", command: str = ""
) -> Report:
    """Return the report of runs; those of the host's tasks are compared and have gain and leakage.

    `notes` are about runs that are left out, `command` writes the report.
    """
    shown = [run for run in runs if run.is_own and run.logged and run.records]
    colours = _colours(shown)
    by_task = _by_task(shown)

    comparisons, left_out = compare(runs, most=MOST_PAIRS)
    gains, problems = tables.gain_rows(runs)
    sections = [
        _overview(by_task, comparisons),
        *(_task(members, colours) for members in by_task.values()),
        _comparisons(comparisons, left_out),
        _gain(gains, problems, colours),
        Section("Coverage", (), [tables.coverage_table(shown)]),
        _signatures(shown),
    ]
    kept = [section for section in sections if section.notes or section.tables]
    return Report(title or title_of(shown), notes, kept, shown, facts(shown, command))


def _colours(runs: Sequence[Run]) -> Colours:
    names = dict.fromkeys(run.name for run in runs)
    return {name: number for number, name in enumerate(names)}


def _by_task(runs: Sequence[Run]) -> dict[str, list[Run]]:
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    return by_task


def _overview(by_task: Mapping[str, Sequence[Run]], comparisons: Sequence[Comparison]) -> Section:
    runs = [run for members in by_task.values() for run in members]
    notes = [*overview.demo_judges(runs), *overview.unjudged(runs)]
    notes += overview.conclusions(comparisons)
    rankings = [plot for members in by_task.values() for plot in overview.ranking(members)]
    return Section("Overview", notes, [overview.table(runs)], rankings)


def _task(runs: Sequence[Run], colours: Colours) -> Section:
    runs = overview.ranked(runs)
    shown = [task_tables.headline_table(runs)]
    drawn = []
    for kind, records in task_tables.group_values(runs).items():
        shown.append(task_tables.group_table(runs, kind, records))
        has_several = len({record["group"] for record in records}) > 1
        if kind in task_tables.PLOTTED and has_several:
            drawn.append(_groups(records, task_tables.PLOTTED[kind], colours))

    remarks = [
        f"{run.name}: {remark}"
        for run in runs
        for remark in remarks_on(run.own.benchmark, run.records)
    ]
    task = runs[0].own
    return Section(f"{task.name} ({task.benchmark.name}, {task.split})", remarks, shown, drawn)


def _groups(records: Sequence[Record], kind: str, colours: Colours) -> Plot:
    metric = records[0]["metric"]
    series: dict[str, dict[str, Point]] = {}
    for record in records:
        point = (record["value"], record["low"], record["high"])
        series.setdefault(record["model"], {})[record["group"]] = point
    return plots.intervals(f"{metric} by {kind}", series, f"{metric} x 100", colours)


def _comparisons(comparisons: Sequence[Comparison], left_out: Sequence[str]) -> Section:
    by_task: dict[str, dict[str, Point]] = {}
    for each in sorted(comparisons, key=lambda each: -each.difference.difference):
        test = each.difference
        point = (test.difference, test.low, test.high)
        title = f"Differences in {each.metric}, {each.task}"
        by_task.setdefault(title, {})[f"{each.b} - {each.a}"] = point

    drawn = [
        plots.intervals(title, {"difference": points}, "difference x 100", zero=True)
        for title, points in sorted(by_task.items())
    ]
    table = [tables.comparison_table(comparisons)] if comparisons else []
    return Section("Comparison of runs", left_out, table, drawn)


def _gain(rows: Sequence[Row], problems: Sequence[str], colours: Colours) -> Section:
    drawn = []
    for name, title in (("mg", "Multi-modal gain"), ("ml", "Multi-modal leakage")):
        series: dict[str, dict[str, Point]] = {}
        for row, result in tables.overall_rows(rows):
            estimate = getattr(result, name)
            if estimate is not None:
                point = astuple(estimate)
                series.setdefault(row.model, {})[f"{row.task} ({row.ablation})"] = point
        if series:
            axis = f"{name.upper()} x 100"
            drawn.append(plots.intervals(title, series, axis, colours, zero=True))

    table = [tables.gain_table(rows)] if tables.overall_rows(rows) else []
    return Section("Gain and leakage", problems, table, drawn)


def _signatures(runs: Sequence[Run]) -> Section:
    rows = [{"task": run.task, "run": run.name, "signature": run.signature.text} for run in runs]
    table = Table(rows, ["task", "run"], ["signature"], "Conditions of every number")
    return Section("Signatures", (), [replace(table, folded=len(rows) > plots.ROWS)])
