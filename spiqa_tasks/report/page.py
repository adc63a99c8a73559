"""A report of runs: its sections of sentences, tables and plots, as a page."""

import base64
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from PIL import Image

from spiqa_tasks.analysis.breakdown import OVERALL, ValueRecord, overall
from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.gain import ablation_pairs, rows
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.benchmarks.metric import MINIMUM_SHARE
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
from spiqa_tasks.report.printer import Table
from spiqa_tasks.report.samples import as_script, samples
from spiqa_tasks.report.tables import (
    comparison_tables,
    coverage_table,
    gain_tables,
)
from spiqa_tasks.report.values import (
    JUDGE,
    PART,
    VALUE,
    cross_table,
    flat_records,
    judge_notes,
    printed_records,
)
from spiqa_tasks.runs.run import Run

# Pairs of runs that are compared for each task; nobody reads a longer table.
MOST_PAIRS = 50

# Sentences on runs that do not compare at the top of the page, which people read whole.
MOST_WARNINGS = 3

# Corrected p-value below which a difference is called significant.
SIGNIFICANT = 0.05

# Kinds of groups that only `score --by` shows: `nonplot` joins three of SPIQA's figure types, which
# have columns of their own; `subcategory` of MMStar would have 18 columns.
HIDDEN = ("nonplot", "subcategory")

# Kind of groups -> its name in titles, if that is another one.
KINDS = {
    "figure_type_released": "figure type as in the paper's Table 4 (any label with a capital "
    "Schematic or Plot is other)",
    "figures": "number of figures",
}

# `--pictures` -> longest side in pixels. Large pictures are legible; a page with 1,000 small ones
# stays small.
SIDES = {"large": 1000, "small": 320}
# Quality of WebP, of 100: labels of plots are legible, in a third of the bytes.
QUALITY = 70


@dataclass(frozen=True)
class Section:
    """A section of a report. Its notes are sentences above the tables."""

    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """A report: its sections, and the runs whose samples the page shows.

    Attributes:
        notes: sentences on runs that could not be read, and on values that are withheld.
        head: `facts` about the runs, at the top of the page.
    """

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[Run]
    head: Mapping[str, Sequence[str]] = field(default_factory=dict)


def build(runs: Sequence[Run], notes: Sequence[str] = (), title: str = "") -> Report:
    """Return the report of runs. Runs of a host's own tasks are only compared, and have gain.

    `notes` are sentences on runs that are left out, to which the first ones on runs that do not
    compare are added; by default `title` is `2 models on 3 tasks`.
    """
    tasks = _by_task(runs)
    shown = list(chain.from_iterable(tasks.values()))

    comparisons, left_out = compare(runs, most=MOST_PAIRS)

    # The page puts the samples behind the first section.
    sections = [
        _overview(tasks.values(), comparisons),
        *(_task(of_task, shown) for of_task in tasks.values()),
        _comparisons(comparisons, left_out),
        _gain(runs),
        Section("Coverage", (), [coverage_table(shown)]),
        _signatures(shown),
    ]
    filled = [section for section in sections if section.notes or section.tables]
    head = facts(shown)
    size = f"{counted(len(head['models']), 'model')} on {counted(len(tasks), 'task')}"
    # a ranking of runs that do not compare misleads; the section of comparisons names all of them,
    # with those that have no value, as other notes say
    warnings = [sentence for sentence in left_out if " is left out: " not in sentence]
    return Report(title or size, [*notes, *warnings[:MOST_WARNINGS]], filled, shown, head)


def _by_task(runs: Iterable[Run]) -> Mapping[str, list[Run]]:
    """Return the runs with samples of each task, the best first, which is the order of its tables
    and plots.
    """
    tasks = defaultdict(list)
    for run in runs:
        if run.has_samples:
            tasks[run.task].append(run)
    for of_task in tasks.values():
        of_task.sort(key=lambda run: _rank(_headline_record(run)), reverse=True)
    return tasks


def facts(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return the models, tasks, dates and judges of runs, each as lines for the top of the page."""
    # Others than the hosts' files do not say when the answers were made.
    dates = sorted(filter(None, (date_of(run.path.name) for run in runs)))
    return {
        "models": _distinct(run.identity.label for run in runs),
        "tasks": _distinct(f"{run.task}: {run.coverage} questions" for run in runs),
        "answered on": _distinct(f"{date.astimezone():%Y-%m-%d (%Z)}" for date in dates),
        "judges": _distinct(run.judge_name for run in runs),
    }


def _distinct(lines: Iterable[str]) -> list[str]:
    """Return each line once, without empty ones."""
    return [line for line in dict.fromkeys(lines) if line]


def _overview(by_task: Iterable[Sequence[Run]], comparisons: Sequence[Comparison]) -> Section:
    """Return the headline of every run, with a plot per task."""
    lines = []
    rankings = []
    for runs in by_task:
        records = list(map(_headline_record, runs))
        lines += records
        rankings.append(_ranking(runs[0], records, printed_records(runs)))

    notes = [*_judge_notes(chain.from_iterable(by_task)), *_conclusions(comparisons)]
    table = Table(
        lines,
        ["task", "model", JUDGE, "metric", VALUE, "n", PART],
        "Headline of each task, its best run first, with 95% intervals",
    )
    # a single value is in the table
    return Section("Overview", notes, [table], [plot for plot in rankings if len(plot.names) > 1])


def _headline_record(run: Run) -> ValueRecord:
    """Return the record of a run's headline over all questions."""
    return overall(run, [headline(run)])[0]


def _rank(record: ValueRecord) -> float:
    """Return the value of a record for sorting; a withheld one is below all others."""
    return -1.0 if record["value"] is None else record["value"]


def _judge_notes(runs: Iterable[Run]) -> list[str]:
    """Return notes on L3Scores without a judge, and by the demo's judge."""
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
    """Return [a sentence on how many pairs of runs differ significantly, and on which tasks], or
    [].
    """
    if not comparisons:
        return []
    pairs = Counter(pair.task for pair in comparisons)
    significant = Counter(
        pair.task
        for pair in comparisons
        if pair.p_corrected is not None and pair.p_corrected < SIGNIFICANT
    )
    of_tasks = [f"{n} of {pairs[task]} on {task}" for task, n in significant.items()]
    where = f": {', '.join(of_tasks)}" if of_tasks else ""
    return [
        f"In {significant.total()} of {len(comparisons)} pairs of runs the difference is larger"
        f" than chance explains (p < {SIGNIFICANT}, corrected for the number of pairs){where}."
    ]


def _ranking(run: Run, measured: Sequence[ValueRecord], printed: Iterable[ValueRecord]) -> Plot:
    """Return a plot of a task's headline: its runs, published and reported values."""
    metric = headline(run).name
    records = [*measured]
    for record in printed:
        if (record["metric"], record["group"]) == (metric, OVERALL):
            records.append(record)

    # Measured, published, then reported values (by the alphabet), of each kind the best first.
    records.sort(key=lambda record: (record["source"].partition(", ")[0], -_rank(record)))
    series: dict[str, dict[str, Point]] = defaultdict(dict)
    for record in records:
        source, _, table = record["source"].partition(", ")
        name = f"{record['model']} ({table})" if source == "published" else record["model"]
        judge = f", judge {record['judge']}" if record["judge"] else ""
        points = series[source + judge]
        if record["value"] is not None:
            points[name] = _point(record)
    return plots.intervals(f"{metric} on {run.task}", series, f"{metric} x 100")


def _point(record: ValueRecord) -> Point:
    """Return a value with the bounds of its interval: `(0.53, 0.50, 0.56)`."""
    return record["value"], record.get("low"), record.get("high")


def _task(runs: Sequence[Run], all_runs: Iterable[Run]) -> Section:
    """Return the scores of a task's runs, and a table and a plot for each kind of groups.

    `all_runs` of the page say which colour a run has in every plot.
    """
    measured = flat_records(runs)
    metrics = {record["metric"] for record in measured}
    printed = [record for record in printed_records(runs) if record["metric"] in metrics]

    tables = [_scores_table(measured, printed)]
    group_plots = []
    for title, records in _by_kind(runs, measured).items():
        tables.append(_group_table(title, records, printed))
        group_plots.append(_group_plot(title, records, all_runs))

    remarks = [
        f"{run.name}: {remark}"
        for run in runs
        for remark in remarks_on(run.benchmark_task.benchmark, run.records)
    ]
    task = runs[0].benchmark_task
    return Section(
        f"{task.name} ({task.benchmark.name}, {task.split})",
        remarks,
        tables,
        # a single group is the whole task
        [plot for plot in group_plots if len(plot.names) > 1],
    )


def _by_kind(runs: Sequence[Run], measured: Iterable[ValueRecord]) -> dict[str, list[ValueRecord]]:
    """Return title -> the headline's records of a kind of groups: `accuracy by category, x 100`."""
    # A run without a judge has groups of its first text metric, which is no headline.
    headlines = {headline(run).name for run in runs}
    records = defaultdict(list)
    for record in measured:
        kind = record["by"]
        if kind not in ("", *HIDDEN) and record["metric"] in headlines:
            records[f"{record['metric']} by {KINDS.get(kind, kind)}, x 100"].append(record)
    return records


def _scores_table(measured: Sequence[ValueRecord], printed: Sequence[ValueRecord]) -> Table:
    """Return a column per metric for the runs of a task, and published and reported rows below."""
    records = [record for record in (*measured, *printed) if record["group"] == OVERALL]
    notes = judge_notes(records)
    if urls := _distinct(record.get("url", "") for record in records):
        notes.append(f"Reported rows are by others, in settings of their own: {', '.join(urls)}")
    return cross_table(records, "metric", "Scores x 100, with 95% intervals", notes)


def _group_table(
    title: str, measured: Sequence[ValueRecord], printed: Iterable[ValueRecord]
) -> Table:
    """Return a column per group of one kind, and published rows below."""
    groups = {record["group"] for record in measured}
    metric = measured[0]["metric"]
    of_groups = [
        record for record in printed if record["group"] in groups and record["metric"] == metric
    ]
    return cross_table([*measured, *of_groups], "group", title, _group_notes(measured))


def _group_notes(measured: Iterable[ValueRecord]) -> list[str]:
    """Return notes on why values of groups, or their intervals, are missing."""
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


def _group_plot(title: str, records: Sequence[ValueRecord], all_runs: Iterable[Run]) -> Plot:
    """Return a plot with a row per group, and a dot in it per run."""
    series: dict[str, dict[str, Point]] = {run.name: {} for run in all_runs}
    for record in records:
        if record["value"] is not None:
            series[record["model"]][record["group"]] = _point(record)
    return plots.intervals(title, series, f"{records[0]['metric']} x 100")


def _comparisons(comparisons: Sequence[Comparison], left_out: Sequence[str]) -> Section:
    """Return the paired differences of runs, with a plot per task and metric."""
    points: dict[str, dict[str, Point]] = defaultdict(dict)
    for pair in sorted(comparisons, key=lambda pair: -pair.difference.difference):
        test = pair.difference
        title = f"Differences in {pair.metric}, {pair.task}"
        points[title][f"{pair.b} - {pair.a}"] = (test.difference, test.low, test.high)

    difference_plots = [
        plots.intervals(title, {"difference": of_title}, "difference x 100")
        for title, of_title in sorted(points.items())
    ]
    tables = comparison_tables(comparisons) if comparisons else []
    return Section("Comparison of runs", left_out, tables, difference_plots)


def _gain(runs: Iterable[Run]) -> Section:
    """Return gain and leakage of the models that were also run without pictures.

    Notes say why such a model has none; the section is empty without runs without pictures.
    """
    title = "Gain and leakage"
    logged = [run for run in runs if run.logged]
    if not any(run.is_blind and not run.is_few_shot for run in logged):
        return Section(title)
    try:
        pairs, _, problems = ablation_pairs(logged)
    except InputError as error:
        return Section(title, [str(error)])

    gains = list(chain.from_iterable(map(rows, pairs)))
    notes = [f"{row.task} of {row.model}: {warning}." for row in gains for warning in row.warnings]
    return Section(title, problems, gain_tables(gains, "Multi-modal gain x 100", notes))


def _signatures(runs: Sequence[Run]) -> Section:
    """Return the section with the signature of each run."""
    lines = [{"task": run.task, "run": run.name, "signature": run.signature.text} for run in runs]
    table = Table(lines, ["task", "run", "signature"], "Conditions of every number")
    return Section("Signatures", (), [table])


def as_html(report: Report, pictures: str) -> str:
    """Return the page; `pictures` is a key of `SIDES` or `none`.

    Texts of models and data are escaped, or in JSON.
    """
    require("report", "A report's page")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    numbers: dict[str, int] = {}
    data = samples(report.runs, numbers if pictures in SIDES else None)
    shrink = partial(small_picture, side=SIDES.get(pictures, 0))
    with ThreadPoolExecutor() as pool:
        thumbnails = list(pool.map(shrink, numbers))

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
