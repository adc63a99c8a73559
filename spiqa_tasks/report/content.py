"""Report of runs: its sections, each of tables and plots."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.gain import Row
from spiqa_tasks.benchmarks.record import STATUSES
from spiqa_tasks.benchmarks.signature import PACKAGE
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.report import headline, overview, plots, tables
from spiqa_tasks.report.headline import judge_of
from spiqa_tasks.report.plots import Plot
from spiqa_tasks.report.printer import Table
from spiqa_tasks.runs.run import Run

MOST_PAIRS = 50
"""Pairs of runs of a task that are compared: more would be a table and a plot that nobody reads."""


@dataclass(frozen=True)
class Section:
    """Section of a report; `notes` are sentences above its tables."""

    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """Report: `notes` on runs that could not be read, `runs` of this package's tasks, `head` with facts about them."""

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[Run]
    head: Mapping[str, Sequence[str]] = field(default_factory=dict)


def build(
    runs: Sequence[Run],
    notes: Sequence[str] = (),
    title: str = "",
    command: str = "",
    llm: Sequence[Run] = (),
) -> Report:
    """Return the report of runs; those of the host's tasks are compared and have gain and leakage.

    `notes` are about runs that are left out, `command` writes the report, `llm` are those of an LLM base.
    """
    own = [run for run in runs if run.is_own and run.logged and run.records]
    colours = {name: place for place, name in enumerate(dict.fromkeys(run.name for run in own))}
    by_task = {
        task: [run for run in own if run.task == task]
        for task in dict.fromkeys(run.task for run in own)
    }
    compared, left_out = compare(runs, most=MOST_PAIRS)
    made_how = [{"task": run.task, "run": run.name, "signature": run.signature.text} for run in own]
    signatures = Table(made_how, ["task", "run"], ["signature"], "How every number was made")
    ranked = [plot for members in by_task.values() for plot in overview.ranking(members)]
    sections = [
        Section("Overview", overview.conclusions(compared), [overview.table(own)], ranked),
        *(_task(task, members, colours) for task, members in by_task.items()),
        *_comparisons(compared, left_out),
        *_gain(*tables.gain_rows(runs, llm), colours),
        *_judges(by_task, own, colours),
        _coverage(own),
        Section("Signatures", (), [replace(signatures, folded=len(own) > plots.ROWS)]),
    ]
    return Report(title or title_of(own), notes, sections, own, facts(own, command))


def facts(runs: Sequence[Run], command: str = "") -> dict[str, list[str]]:
    """Return the head of a page, name -> lines; `command` is the one that wrote it."""
    tasks = {run.task: run.own for run in runs}
    covered = {
        task: dict.fromkeys(run.coverage for run in runs if run.task == task) for task in tasks
    }
    versions = dict.fromkeys(
        ", ".join(filter(None, (made.package and f"{PACKAGE} {made.package}", made.host)))
        for made in (run.signature for run in runs)
    )
    of_host: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        if run.origin.command:
            of_host.setdefault((*_judge(run), *run.origin.command), []).append(run.task)
    more = ("--output_path", "out", "--log_samples")
    commands = [
        shlex.join([*of, "--tasks", ",".join(dict.fromkeys(names)), *more])
        for of, names in of_host.items()
    ]
    commands += [command] if command else []
    days = sorted(_day(run.path) for run in runs if run.path.is_file())
    found: dict[str, list[str]] = {
        "models": list(dict.fromkeys(run.name for run in runs)),
        "tasks": [f"{task}: {', '.join(each)} questions" for task, each in covered.items()],
        "answers of": [" to ".join(dict.fromkeys((days[0], days[-1])))] if days else [],
        "made by": list(filter(None, versions)),
        "judges": list(filter(None, dict.fromkeys(map(judge_of, runs)))),
        "commands": commands,
    }
    return {name: lines for name, lines in found.items() if lines}


def title_of(runs: Sequence[Run]) -> str:
    """Return a title: the models and the tasks, or how many there are."""
    models, tasks = dict.fromkeys(run.name for run in runs), dict.fromkeys(run.task for run in runs)
    few = (
        " and ".join(names) if len(names) <= 2 else f"{len(names)} {kind}"
        for names, kind in ((models, "models"), (tasks, "tasks"))
    )
    return " on ".join(few)


def _day(path: Path) -> str:
    """Return the day of a run's answers: that in the host's file name, else of its last change."""
    stamp = re.match(r"(\d{4})(\d\d)(\d\d)_\d{6}_", path.name)
    changed = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)
    return "-".join(stamp.groups()) if stamp else changed.date().isoformat()


def _judge(run: Run) -> list[str]:
    """Return the beginning of the host's command that names the judge and its server, of which the host is known."""
    judge, host = run.signature.judge, run.signature.judge_host
    url = (
        [f"SPIQA_JUDGE_BASE_URL=http(s)://{host}/..."]
        if host and not host.startswith("api.")
        else []
    )
    return ["env", f"SPIQA_JUDGE={judge}", *url] if judge else []


def _task(task: str, runs: Sequence[Run], colours: Mapping[str, int]) -> Section:
    runs = overview.ranked(runs)
    groups = headline.group_values(runs)
    drawn = [
        _groups(records, headline.PLOTTED[kind], colours)
        for kind, records in groups.items()
        if kind in headline.PLOTTED and len({record["group"] for record in records}) > 1
    ]
    shown = [
        headline.headline_table(runs),
        *(headline.group_table(runs, *group) for group in groups.items()),
    ]
    remarks = [
        f"{run.name}: {remark}"
        for run in runs
        for remark in remarks_on(run.own.benchmark, run.records)
    ]
    return Section(
        f"{task} ({runs[0].own.benchmark.name}, {runs[0].own.split})", remarks, shown, drawn
    )


def _groups(records: Sequence[headline.Record], kind: str, colours: Mapping[str, int]) -> Plot:
    series: dict[str, dict[str, plots.Point]] = {}
    for record in records:
        series.setdefault(record["model"], {})[record["group"]] = (
            record["value"],
            record["low"],
            record["high"],
        )
    metric = records[0]["metric"]
    return plots.intervals(f"{metric} by {kind}", series, f"{metric} x 100", colours)


def _comparisons(found: Sequence[Comparison], left_out: Sequence[str]) -> list[Section]:
    if not found and not left_out:
        return []
    drawn = []
    for task in dict.fromkeys(each.task for each in found):
        members = [each for each in found if each.task == task]
        points = {
            f"{each.b} - {each.a}": (
                each.difference.difference,
                each.difference.low,
                each.difference.high,
            )
            for each in sorted(members, key=lambda each: -each.difference.difference)
        }
        title = f"Differences in {members[0].metric}, {task}"
        drawn.append(plots.intervals(title, {"difference": points}, "difference x 100", zero=True))
    return [
        Section(
            "Comparison of runs", left_out, [tables.comparison_table(found)] if found else [], drawn
        )
    ]


def _gain(
    found: Sequence[Row], problems: Sequence[str], colours: Mapping[str, int]
) -> list[Section]:
    rows = tables.overall_rows(found)
    if not rows and not problems:
        return []
    drawn = []
    for name, title in (("mg", "Multi-modal gain"), ("ml", "Multi-modal leakage")):
        series: dict[str, dict[str, plots.Point]] = {}
        for row, result in rows:
            if (estimate := getattr(result, name)) is not None:
                series.setdefault(row.model, {})[f"{row.task} ({row.ablation})"] = astuple(estimate)
        drawn += (
            [plots.intervals(title, series, f"{name.upper()} x 100", colours, bars=True)]
            if series
            else []
        )
    return [
        Section("Gain and leakage", problems, [tables.gain_table(found)] if rows else [], drawn)
    ]


def _judges(
    by_task: Mapping[str, Sequence[Run]], runs: Sequence[Run], colours: Mapping[str, int]
) -> list[Section]:
    drawn = []
    for task, members in by_task.items():
        scores = [
            (run.name, colours[run.name], list(tables.judged(run).values())) for run in members
        ]
        known = [each for each in scores if each[2]]
        drawn += (
            [plots.histogram(f"The judge's scores of single answers, {task}", known)]
            if known
            else []
        )
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
        tables.COVERAGE,
        names,
        {status: [counts[name][status] for name in names] for status in STATUSES},
    )
    return Section("Coverage", (), [tables.coverage_table(runs)], [drawn])
