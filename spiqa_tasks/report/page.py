"""A report of runs: its sections of sentences, tables and plots, as a page or as Markdown."""

import base64
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from PIL import Image

from spiqa_tasks.analysis.breakdown import OVERALL, ValueRecord, overall
from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.gain import Row, ablation_pairs, rows
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.demo.judge_server import MODEL as DEMO_JUDGE
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page
from spiqa_tasks.hosts.lmms_eval_files import date_of
from spiqa_tasks.printable import counted
from spiqa_tasks.report import plots
from spiqa_tasks.report.plots import Plot, Point
from spiqa_tasks.report.printer import Column, Table, markdown, render
from spiqa_tasks.report.samples import as_script, samples
from spiqa_tasks.report.tables import (
    MMSTAR_TASK,
    comparison_table,
    coverage_table,
    gain_table,
    published_gain_rows,
)
from spiqa_tasks.report.values import (
    VALUE,
    cross_table,
    flat_records,
    judge_notes,
    printed_records,
    size_of,
)
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.coverage import MINIMUM_SHARE

# Pairs of runs of a task that are compared: more would be a table that nobody reads.
MOST_PAIRS = 50

# Corrected p-value below which a difference is called significant.
SIGNIFICANT = 0.05

# Kinds of groups that are left to `score --by`: one joins three of SPIQA's types, which stand
# beside it; the other would have 18 columns of MMStar.
HIDDEN = ("nonplot", "subcategory")

# Kind of groups -> what titles call it, if its own name says too little.
KINDS = {
    "figure_type_released": "figure type as in the paper's Table 4 (any label with a capital "
    "Schematic or Plot is other)",
    "figures": "number of figures",
}

# `--pictures` -> longest side in pixels: legible on a screen, or as a thumbnail that keeps a page
# of 1,000 small.
SIDES = {"large": 1000, "small": 320}
# Of WebP, up to 100: labels in plots stay legible, in a third of the bytes.
QUALITY = 70

# Label of a run -> number of its colour, the same in every plot.
Colours = Mapping[str, int]


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
        notes: on runs that could not be read, and values that are withheld.
        head: facts about the runs, name -> lines.
    """

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[Run]
    head: Mapping[str, Sequence[str]] = field(default_factory=dict)


def build(runs: Sequence[Run], notes: Sequence[str] = (), title: str = "") -> Report:
    """Return the report of runs; those of the host's tasks are compared and have gain and leakage.

    `notes` are about runs that are left out.
    """
    tasks = _by_task(filter(selection.has_samples, runs))
    shown = [run for members in tasks.values() for run in members]

    colours = {name: number for number, name in enumerate(_distinct(run.name for run in shown))}
    comparisons, left_out = compare(runs, most=MOST_PAIRS)

    # The page puts the samples behind the first section.
    sections = [
        _overview(tasks.values(), comparisons),
        *(_task(members, colours) for members in tasks.values()),
        _comparisons(comparisons, left_out),
        _gain(runs),
        Section("Coverage", (), [coverage_table(shown)]),
        _signatures(shown),
    ]
    kept = [section for section in sections if section.notes or section.tables]
    head = facts(shown)
    size = f"{counted(len(head['models']), 'model')} on {counted(len(tasks), 'task')}"
    return Report(title or size, notes, kept, shown, head)


def _by_task(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Return the runs of each task, the best first: the order of every table and plot."""
    tasks: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(run)
    for members in tasks.values():
        members.sort(key=lambda run: _rank(_headline_record(run)), reverse=True)
    return tasks


def facts(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return what stands at the top of a page, name -> lines."""
    times = sorted(_time_of(run) for run in runs if run.path.is_file())
    return {
        "models": _distinct(run.identity.label for run in runs),
        "tasks": _distinct(f"{run.task}: {run.coverage} questions" for run in runs),
        "answered on": _distinct(f"{time.date()} ({time.tzname()})" for time in times),
        "judges": _distinct(run.judge_name for run in runs),
    }


def _distinct(lines: Iterable[str]) -> list[str]:
    return [line for line in dict.fromkeys(lines) if line]


def _time_of(run: Run) -> datetime:
    """Return the time in the host's file name, or of the file's last change, in the reader's
    zone.
    """
    written = date_of(run.path.name) or datetime.fromtimestamp(run.path.stat().st_mtime)
    return written.astimezone()


def _overview(by_task: Iterable[Sequence[Run]], comparisons: Sequence[Comparison]) -> Section:
    lines = []
    drawn = []
    for runs in by_task:
        records = [_headline_record(run) for run in runs]
        lines += [{**record, "size": size_of(record)} for record in records]
        drawn += _ranking(runs[0], records, printed_records(runs))

    notes = [*_judge_notes(run for runs in by_task for run in runs), *_conclusions(comparisons)]
    table = Table(
        lines,
        ["task"],
        ["model", "judge", "metric", VALUE, Column("size", "n")],
        "Headline of each task, its best run first, with 95% intervals",
    )
    return Section("Overview", notes, [table], drawn)


def _headline_record(run: Run) -> ValueRecord:
    return overall(run, [headline(run)])[0]


def _rank(record: ValueRecord) -> float:
    """Return the value by which records are sorted, below all others without one."""
    return -1.0 if record["value"] is None else record["value"]


def _judge_notes(runs: Iterable[Run]) -> list[str]:
    """Return what to know of L3Scores: that no judge was asked, or the demo's."""
    notes = []
    for run in runs:
        metric = headline(run)
        if metric.needs == "judge" and not run.judged_metric:
            notes.append(
                f"{run.task} of {run.name}: {metric.name} is missing, no judge was asked. "
                "`spiqa-tasks score RUN --judge PROVIDER:MODEL --output DIR` asks one."
            )
        if run.signature.judge.endswith(DEMO_JUDGE):
            notes.append(
                f"The demo judge {DEMO_JUDGE} counts common words: its L3Scores are no results."
            )
    return _distinct(notes)


def _conclusions(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a sentence for each task on how many of its pairs of runs differ significantly."""
    significant: dict[str, list[bool]] = defaultdict(list)
    for each in comparisons:
        p = each.p_corrected
        significant[each.task].append(p is not None and p < SIGNIFICANT)
    return [
        f"{task}: in {sum(pairs)} of {counted(len(pairs), 'pair')} of runs the difference is "
        f"larger than chance explains (p < {SIGNIFICANT}, corrected for the number of pairs)."
        for task, pairs in significant.items()
    ]


def _ranking(
    run: Run, measured: Sequence[ValueRecord], printed: Iterable[ValueRecord]
) -> list[Plot]:
    """Return a plot of the headlines of a task's runs beside its paper's values and those that
    others report.

    [] if there is nothing to rank.
    """
    metric = headline(run).name
    beside = [
        record for record in printed if (record["metric"], record["group"]) == (metric, OVERALL)
    ]
    records = [each for each in (*measured, *beside) if each["value"] is not None]
    if len(records) < 2:
        return []

    series: dict[str, dict[str, Point]] = {}
    # Measured, published, then reported values, of each kind the best first.
    records.sort(key=lambda record: (record["source"].partition(", ")[0], -_rank(record)))
    for record in records:
        source, _, of_paper = record["source"].partition(", ")
        name = f"{record['model']} ({of_paper})" if source == "published" else record["model"]
        judge = f", judge {record['judge']}" if record["judge"] else ""
        series.setdefault(source + judge, {})[name] = _point(record)
    return [plots.intervals(f"{metric} on {run.task}", series, f"{metric} x 100")]


def _point(record: ValueRecord) -> Point:
    return record["value"], record.get("low"), record.get("high")


def _task(runs: Sequence[Run], colours: Colours) -> Section:
    measured = flat_records(runs)
    metrics = {record["metric"] for record in measured}
    printed = [record for record in printed_records(runs) if record["metric"] in metrics]

    shown = [_scores_table(measured, printed)]
    drawn = []
    sizes = _sizes(runs)
    for title, records in _by_kind(runs, measured).items():
        shown.append(_group_table(title, records, printed, sizes))
        drawn.append(_group_plot(title, records, colours))

    remarks = [
        f"{run.name}: {remark}"
        for run in runs
        for remark in remarks_on(run.own.benchmark, run.records)
    ]
    task = runs[0].own
    return Section(f"{task.name} ({task.benchmark.name}, {task.split})", remarks, shown, drawn)


def _by_kind(runs: Sequence[Run], measured: Iterable[ValueRecord]) -> dict[str, list[ValueRecord]]:
    """Return the records of groups by metric and kind: `accuracy by category, x 100`, ..."""
    kinds: dict[str, str] = {}
    metrics = {headline(run).name for run in runs}
    for run in runs:
        for each in run.questions:
            kinds |= {group: kind for kind, group in each.groups.items()}

    # Without a judge the first metric is a text metric, which does not replace L3Score.
    records: dict[str, list[ValueRecord]] = defaultdict(list)
    for record in measured:
        kind = kinds.get(record["group"], OVERALL)
        if kind not in (OVERALL, *HIDDEN) and record["metric"] in metrics:
            records[f"{record['metric']} by {KINDS.get(kind, kind)}, x 100"].append(record)
    return records


def _scores_table(measured: Sequence[ValueRecord], printed: Sequence[ValueRecord]) -> Table:
    """Return every metric of the runs of one task, and the rows of its paper and of others."""
    records = [each for each in (*measured, *printed) if each["group"] == OVERALL]
    notes = judge_notes(records)
    if urls := _distinct(record.get("url", "") for record in records):
        notes.append(f"Reported rows are by others, in settings of their own: {', '.join(urls)}")
    return cross_table(records, "metric", "Scores x 100, with 95% intervals", notes)


def _group_table(
    title: str,
    measured: Sequence[ValueRecord],
    printed: Iterable[ValueRecord],
    sizes: Mapping[str, int],
) -> Table:
    """Return a metric by the groups of one kind, beside the paper's values for them."""
    names = {record["group"] for record in measured}
    metric = measured[0]["metric"]
    beside = [each for each in printed if each["group"] in names and each["metric"] == metric]

    records = []
    for record in (*measured, *beside):
        group = record["group"]
        head = f"{group} (n={sizes[group]})" if group in sizes else group
        records.append({**record, "head": head})
    return cross_table(records, "head", title, _group_notes(measured))


def _sizes(runs: Iterable[Run]) -> Mapping[str, int]:
    """Return group -> number of the task's questions in it, of the groups of a known size."""
    sizes: Counter[str] = Counter()
    for run in runs:
        known = Counter(run.written.sizes)
        # Answers to a part of a task do not show how many questions a group has.
        if not known and run.record_set.is_whole:
            for record in run.questions:
                known.update(set(record.groups.values()))
        # The larger of two sizes.
        sizes |= known
    return sizes


def _group_notes(measured: Iterable[ValueRecord]) -> list[str]:
    """Return why values of groups, or their intervals, are missing."""
    notes = []
    for record in measured:
        if record["value"] is None:
            notes.append(
                f"A dash: fewer than {100 * MINIMUM_SHARE:g}% of the questions of the task or of "
                "the group have a score."
            )
        elif record["low"] is None:
            notes.append(
                "No interval: too few papers, or a metric that is no mean of single scores."
            )
    return _distinct(notes)


def _group_plot(title: str, records: Sequence[ValueRecord], colours: Colours) -> Plot:
    series: dict[str, dict[str, Point]] = defaultdict(dict)
    for record in records:
        series[record["model"]][record["group"]] = _point(record)
    return plots.intervals(title, series, f"{records[0]['metric']} x 100", colours)


def _comparisons(comparisons: Sequence[Comparison], left_out: Sequence[str]) -> Section:
    series: dict[str, dict[str, Point]] = defaultdict(dict)
    for each in sorted(comparisons, key=lambda each: -each.difference.difference):
        test = each.difference
        title = f"Differences in {each.metric}, {each.task}"
        series[title][f"{each.b} - {each.a}"] = (test.difference, test.low, test.high)

    drawn = [
        plots.intervals(title, {"difference": points}, "difference x 100", zero=True)
        for title, points in sorted(series.items())
    ]
    tables = [comparison_table(comparisons)] if comparisons else []
    return Section("Comparison of runs", left_out, tables, drawn)


def _gain(runs: Iterable[Run]) -> Section:
    """Return gain and leakage of every model that was also run without pictures, and why others
    have none.
    """
    title = "Gain and leakage"
    logged = [run for run in runs if run.logged]
    if not any(map(_is_without_pictures, logged)):
        return Section(title)
    try:
        pairs, _, problems = ablation_pairs(logged)
    except InputError as error:
        return Section(title, [str(error)])

    found: list[Row] = []
    for pair in pairs:
        found += rows(pair)
    was_mmstar_run = MMSTAR_TASK in {row.task for row in found}
    printed = published_gain_rows() if was_mmstar_run else []
    notes = [f"{row.task} of {row.model}: {each}." for row in found for each in row.warnings]
    table = gain_table(found, printed, "Multi-modal gain and leakage x 100", notes)
    return Section(title, problems, [table])


def _is_without_pictures(run: Run) -> bool:
    return selection.is_blind(run) and not selection.is_few_shot(run)


def _signatures(runs: Sequence[Run]) -> Section:
    lines = [{"task": run.task, "run": run.name, "signature": run.signature.text} for run in runs]
    table = Table(lines, ["task", "run"], ["signature"], "Conditions of every number")
    return Section("Signatures", (), [table])


def as_html(report: Report, pictures: str = "large") -> str:
    """Return the page with `pictures` of one of `SIDES`, or `none`; texts of models and data are
    escaped, or JSON.
    """
    require("report", "A report's page")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    numbers: dict[str, int] = {}
    data = samples(report.runs, numbers if pictures in SIDES else None)
    with ThreadPoolExecutor() as pool:
        thumbnails = list(pool.map(partial(small_picture, side=SIDES.get(pictures, 0)), numbers))

    environment = Environment(
        loader=PackageLoader("spiqa_tasks.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        report=report,
        data=as_script(data),
        thumbnails=thumbnails,
        samples=data,
        version=version(PACKAGE),
    )


def as_markdown(report: Report) -> str:
    """Return all tables of a report as Markdown; plots and samples are in the page only."""
    parts = [f"# {report.title}", *map(markdown, report.notes)]
    for section in report.sections:
        parts += [f"## {markdown(section.title)}", *map(markdown, section.notes)]
        parts += [render("md", table) for table in section.tables]
    return "\n\n".join(parts) + "\n"


def small_picture(path: str, side: int) -> str:
    """Return a picture as base64 of a WebP file, scaled to at most `side` pixels; '' if
    unreadable.
    """
    buffer = io.BytesIO()
    try:
        with Image.open(unpacked(path)) as image:
            image.draft("RGB", (side, side))
            image.thumbnail((side, side))
            on_page(image).save(buffer, "WEBP", quality=QUALITY)
    except (DataError, *UNREADABLE):
        return ""
    return base64.b64encode(buffer.getvalue()).decode()
