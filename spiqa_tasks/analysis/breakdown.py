"""Metrics by group of answers, with 95% intervals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from spiqa_tasks.analysis.merging import GROUP, columns_by
from spiqa_tasks.benchmarks.metric import Metric, Value, prepare
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.files.json_text import without_nan
from spiqa_tasks.runs.frame import frame_of, groups_with_source
from spiqa_tasks.runs.run import Run

# Group of all questions.
OVERALL = "all"


# A value with what it is of: model, source, judge, task, metric, group, ...
ValueRecord = dict[str, Any]

# Source of computed values; those of papers and of others begin with `published, `, `reported, `.
MEASURED = "measured"


def part_of(questions: str) -> str:
    """Return `4 of 5`, or '' if all questions were answered or nobody says how many there are."""
    answered, _, every = questions.partition(" of ")
    return "" if answered == every else questions


def values_by(
    runs: Sequence[tuple[Run, Sequence[Metric]]], by: str = ""
) -> tuple[list[ValueRecord], list[str]]:
    """Return the values of runs by their metrics, in groups as of `by_group`, and a sentence for
    each reason why some are withheld.
    """
    # the text metrics of all runs in one call, which starts Java once
    prepare((metrics, run.questions) for run, metrics in runs)
    records = []
    reasons = []
    for run, metrics in runs:
        of_run = by_group(run, metrics, by)
        reasons += withheld_values(run, metrics)
        if not run.record_set.withheld():
            reasons += withheld_records(of_run)
        records += of_run
    return records, reasons


def withheld_values(run: Run, metrics: Iterable[Metric]) -> list[str]:
    """Return a sentence for each reason why values over all answers are withheld."""
    if withheld := run.record_set.withheld():
        return [f"{run.task} of {run.name}: {withheld}; --partial prints its values."]

    # Several metrics are withheld for one reason, which is said once.
    names = defaultdict(list)
    for metric in metrics:
        if reason := run.value(metric).reason:
            names[reason].append(metric.name)
    return [f"{run.task} of {run.name}: {', '.join(of)}: {why}." for why, of in names.items()]


def withheld_records(records: Iterable[ValueRecord]) -> list[str]:
    """Return a sentence for each value that is withheld as questions have no answer."""
    return [
        "{metric} of {group} of {model} is withheld: {questions} questions.".format_map(record)
        for record in records
        if record["value"] is None and part_of(record["questions"])
    ]


def by_group(run: Run, metrics: Sequence[Metric], by: str = GROUP) -> list[ValueRecord]:
    """Return each metric by the groups in a column, overall for '', or overall and then for every
    group.

    Names are in alphabetical order within a column. Source: SciFIBench section 4.5 and Table 5;
    SPIQA Tables 6 and 7; MMStar Table 5.
    """
    columns = columns_by(frame_of([run]), by)

    rows = []
    for metric in metrics:
        if by in (GROUP, ""):
            rows += overall(run, [metric])
        for column in columns:
            for name, members in sorted(_members(run, metric, column).items()):
                of_group = run.record_set.value(metric, name, members)
                if of_group.n or of_group.reason:
                    rows.append(record_of(run, metric.name, name, of_group, column, members))
    return rows


def _members(run: Run, metric: Metric, column: str) -> dict[str, list[Record]]:
    """Return group -> records of a metric, by the groups in a column."""
    members = defaultdict(list)
    for record in run.record_set.members(metric):
        groups = groups_with_source(run, record)
        if column in groups:
            members[groups[column]].append(record)
    return members


def overall(run: Run, metrics: Sequence[Metric]) -> list[ValueRecord]:
    """Return each metric over all answers."""
    return [record_of(run, metric.name, OVERALL, run.value(metric)) for metric in metrics]


def record_of(
    run: Run,
    metric: str,
    group: str,
    value: Value,
    by: str = "",
    members: Sequence[Record] = (),
) -> ValueRecord:
    """Return the record of a run's metric over the `n` scored answers of a group, of the column
    `by`, or of all; `members` are the group's records, as far as they are known.

    In natural units; `value` is None if it is withheld, `low` and `high` without an interval.
    `questions` says how many of the group's questions were answered, `n of N`, or '' if nobody says
    how many it has; of all it is of the task's questions.
    """
    low, high = value.interval or (None, None)
    coverage = run.coverage
    if group != OVERALL or by:
        size = run.record_set.size(group, members)
        coverage = f"{value.n} of {max(value.n, size)}" if size else ""
    task = run.benchmark_task_or_none
    return {
        "model": run.name,
        "task": run.task,
        "metric": metric,
        "group": group,
        "n": value.n,
        "value": without_nan(value.value),
        "low": low,
        "high": high,
        "questions": coverage,
        "source": MEASURED,
        "judge": run.judge_name,
        "benchmark": task.benchmark_name if task else "",
        "split": task.split if task else "",
        "signature": run.signature.text,
        "by": by,
    }
