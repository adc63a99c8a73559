"""Report of runs: its sections, each of tables and plots."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.gain import Row
from spiqa_tasks.benchmarks.outcomes import remarks_on
from spiqa_tasks.benchmarks.record import STATUSES
from spiqa_tasks.benchmarks.signature import PACKAGE
from spiqa_tasks.report import headline, overview, plots, tables
from spiqa_tasks.report.headline import judge_of, made
from spiqa_tasks.report.plots import Plot, Series
from spiqa_tasks.report.printer import Table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.intervals import holm

MOST_PAIRS = 50
"""Pairs of runs of a task that are compared: more would be a table and a plot that nobody reads."""
Fact = tuple[str, Sequence[str]]
"""(name, lines) in the head of the page."""


@dataclass(frozen=True)
class Section:
    """Section of a report; `notes` are sentences above its tables."""

    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """Report, from which page, Markdown and exports are written.

    `notes` are sentences on runs that could not be read, `runs` those of this package's tasks, `head` facts about them
    and the commands that write the report again.
    """

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[Run]
    head: Sequence[Fact] = ()


def build(
    runs: Sequence[Run], notes: Sequence[str] = (), title: str = "", command: str = "", llm: Sequence[Run] = ()
) -> Report:
    """Return the report of runs.

    Args:
        runs: runs of this package's tasks, and of the host's, which are compared and have gain and leakage.
        notes: sentences about runs that are left out.
        title: title of the page (default: models and tasks).
        command: command that writes the report.
        llm: the runs of an LLM base, see `gain_rows`.
    """
    own = [run for run in runs if run.is_own and run.logged and run.records]
    colours = {name: place for place, name in enumerate(dict.fromkeys(run.name for run in own))}
    by_task = {task: [run for run in own if run.task == task] for task in dict.fromkeys(run.task for run in own)}
    compared, left_out = _compared(runs)
    made_how = [{"task": run.task, "run": run.name, "signature": run.signature.text} for run in own]
    signatures = Table(made_how, ["task", "run"], ["signature"], "How every number was made")
    sections = [
        Section(
            "Overview",
            overview.conclusions(compared),
            [overview.table(own)],
            [plot for members in by_task.values() for plot in overview.ranking(members)],
        ),
        *(_task(task, members, colours) for task, members in by_task.items()),
        *_comparisons(compared, left_out),
        *_gain(*tables.gain_rows(runs, llm), colours),
        *_judges(by_task, own, colours),
        _coverage(own),
        Section("Signatures", (), [replace(signatures, folded=len(own) > plots.ROWS)]),
    ]
    return Report(title or title_of(own), notes, sections, own, facts(own, command))


def facts(runs: Sequence[Run], command: str = "") -> list[Fact]:
    """Return the facts about a report's runs; `command` is the one that wrote it."""
    tasks = {run.task: run.own for run in runs}
    covered = {task: dict.fromkeys(run.coverage for run in runs if run.task == task) for task in tasks}
    versions = dict.fromkeys(f"{PACKAGE} {run.signature.package}, {run.signature.host}" for run in runs)
    of_host: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        if run.command:
            of_host.setdefault((*_judge(run), *run.command), []).append(run.task)
    more = ("--output_path", "out", "--log_samples")
    commands = [shlex.join([*of, "--tasks", ",".join(dict.fromkeys(names)), *more]) for of, names in of_host.items()]
    commands += [command] if command else []
    days = sorted({made(run).date().isoformat() for run in runs if run.path.is_file()})
    found: list[Fact] = [
        ("models", list(dict.fromkeys(run.name for run in runs))),
        ("tasks", [f"{task}: {', '.join(each)} questions" for task, each in covered.items()]),
        ("answers of", [" to ".join(dict.fromkeys((days[0], days[-1])))] if days else []),
        ("made by", list(versions)),
        ("judges", list(filter(None, dict.fromkeys(map(judge_of, runs))))),
        ("commands", commands),
    ]
    return [(name, lines) for name, lines in found if lines]


def title_of(runs: Sequence[Run]) -> str:
    """Return a title: the models and the tasks, or how many there are."""
    models, tasks = (list(dict.fromkeys(names)) for names in ((r.name for r in runs), (r.task for r in runs)))
    return f"{_few(models, 'models')} on {_few(tasks, 'tasks')}"


def _judge(run: Run) -> list[str]:
    """Return the beginning of the host's command that names the judge and its server, of which the host is known."""
    judge, host = run.signature.judge, run.signature.judge_host
    url = [f"SPIQA_JUDGE_BASE_URL=http(s)://{host}/..."] if host and not host.startswith("api.") else []
    return ["env", f"SPIQA_JUDGE={judge}", *url] if judge else []


def _few(names: Sequence[str], kind: str) -> str:
    return " and ".join(names) if len(names) <= 2 else f"{len(names)} {kind}"


def _task(task: str, runs: Sequence[Run], colours: Mapping[str, int]) -> Section:
    runs = overview.ranked(runs)
    groups = headline.group_values(runs)
    drawn = [
        _groups(records, headline.PLOTTED[kind], colours)
        for kind, records in groups.items()
        if kind in headline.PLOTTED and len({record["group"] for record in records}) > 1
    ]
    shown = [headline.headline_table(runs), *(headline.group_table(runs, *group) for group in groups.items())]
    remarks = [f"{run.name}: {remark}" for run in runs for remark in remarks_on(run.own.entry, run.records)]
    return Section(f"{task} ({runs[0].own.entry.name}, {runs[0].own.split})", remarks, shown, drawn)


def _groups(records: Sequence[headline.Record], kind: str, colours: Mapping[str, int]) -> Plot:
    points: dict[str, dict[str, plots.Point]] = {}
    for record in records:
        points.setdefault(record["model"], {})[record["group"]] = (record["value"], record["low"], record["high"])
    series = [Series(model, colours[model], each) for model, each in points.items()]
    metric = records[0]["metric"]
    return plots.intervals(f"{metric} by {kind}", series, f"{metric} x 100")


def _compared(runs: Sequence[Run]) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons of each task's pairs of runs or, of more than `MOST_PAIRS`, of each run with the best."""
    found: list[Comparison] = []
    remarks: list[str] = []
    for task in dict.fromkeys(run.task for run in runs):
        members = [run for run in runs if run.task == task]
        best = overview.ranked(run for run in members if run.logged and run.metrics)[:1]
        name = best[0].name if best and math.comb(len(members), 2) > MOST_PAIRS else None
        if name is not None:
            remarks.append(f"{task}: each run against the best one, {name}; `spiqa-tasks compare` has the other pairs.")
        comparisons, left_out = compare(members, baseline=name)
        found += comparisons
        remarks += left_out
    corrected = holm([each.difference.p for each in found])
    found = [replace(each, p_corrected=p) for each, p in zip(found, corrected, strict=True)]
    return found, list(dict.fromkeys(remarks))


def _comparisons(found: Sequence[Comparison], left_out: Sequence[str]) -> list[Section]:
    if not found and not left_out:
        return []
    drawn = []
    for task in dict.fromkeys(each.task for each in found):
        members = [each for each in found if each.task == task]
        points = {
            f"{each.b} - {each.a}": (each.difference.difference, each.difference.low, each.difference.high)
            for each in sorted(members, key=lambda each: -each.difference.difference)
        }
        title, series = f"Differences in {members[0].metric}, {task}", [Series("difference", 0, points)]
        drawn.append(plots.intervals(title, series, "difference x 100", zero=True))
    return [Section("Comparison of runs", left_out, [tables.comparison_table(found)] if found else [], drawn)]


def _gain(found: Sequence[Row], problems: Sequence[str], colours: Mapping[str, int]) -> list[Section]:
    rows = tables.overall_rows(found)
    if not rows and not problems:
        return []
    drawn = []
    for name, title in (("mg", "Multi-modal gain"), ("ml", "Multi-modal leakage")):
        points: dict[str, dict[str, plots.Point]] = {}
        for row, result in rows:
            if (estimate := getattr(result, name)) is not None:
                point = (estimate.value, estimate.low, estimate.high)
                points.setdefault(row.model, {})[f"{row.task} ({row.ablation})"] = point
        series = [Series(model, colours.get(model, 0), values) for model, values in points.items()]
        drawn += [plots.intervals(title, series, f"{name.upper()} x 100", bars=True)] if series else []
    return [Section("Gain and leakage", problems, [tables.gain_table(found)] if rows else [], drawn)]


def _judges(by_task: Mapping[str, Sequence[Run]], runs: Sequence[Run], colours: Mapping[str, int]) -> list[Section]:
    drawn = []
    for task, members in by_task.items():
        scores = [(run.name, colours[run.name], list(tables.judged(run).values())) for run in members]
        known = [each for each in scores if each[2]]
        drawn += [plots.histogram(f"The judge's scores of single answers, {task}", known)] if known else []
    drawn += [
        plots.scatter(f"Two judges, {a.task}", pairs, a.signature.judge, b.signature.judge)
        for a, b, pairs in tables.judge_pairs(runs)
    ]
    agreement = tables.agreement_table(runs)
    return [Section("Judges", (), [agreement] if agreement.records else [], drawn)] if drawn else []


def _coverage(runs: Sequence[Run]) -> Section:
    counts = {f"{run.task}, {run.name}": tables.statuses(run) for run in runs}
    worst = sorted(counts, key=lambda name: counts[name]["ok"] / max(1, sum(counts[name].values())))
    names = worst if len(worst) > plots.ROWS else [*counts]
    drawn = plots.stacked(
        tables.COVERAGE, names, {status: [counts[name][status] for name in names] for status in STATUSES}
    )
    reasons = tables.reasons_table(runs)
    return Section("Coverage", (), [tables.coverage_table(runs), *([reasons] if reasons.records else [])], [drawn])
