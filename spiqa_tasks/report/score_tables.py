"""Tables of `score`: values of runs, and a paper's main table with rows for measured models."""

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, group_value, overall
from spiqa_tasks.analysis.published_rows import MEANS, PAPER_JUDGE, published_overall
from spiqa_tasks.benchmarks.metric import Value
from spiqa_tasks.report.printer import Column, Table, render
from spiqa_tasks.report.records import (
    MEASURED,
    Record,
    leading_metric,
    printed_record,
    published_records,
    records_of,
    shown_metrics,
    value_table,
)
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number

_NONE = Value(math.nan, 0)
_MATCHERS = (
    "accuracy_released, _vlmevalkit and _lmms_eval read the same answers by other rules; "
    "_lmms_eval averages over sub-axes, which is no share of right answers"
)
_FAULTS = "_failed_rate"
"""End of the names of rates that are shown only where they are not 0."""


def as_json(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the object of one run; of several runs (models, judges) all objects."""
    if len(runs) == 1:
        return scoring.score_object(runs[0])

    results = []
    for run in runs:
        about = {"predictions": run.name, "judge": run.judge_name or "none"}
        results.append({**scoring.score_object(run), **about})
    return {"task": runs[0].task, "results": results}


def rows(runs: Sequence[Run]) -> list[Record]:
    """Return the records of every value of the runs."""
    records = []
    for run in runs:
        for name, value in scoring.values_of(run).items():
            metric, _, group = name.partition("/")
            records += records_of(run, [group_value(run, metric, group or OVERALL, value)])
    return records


def as_text(runs: Sequence[Run], form: str = "text") -> str:
    """Return the values x 100 for people, a column per run, then counts, reasons and signatures."""
    lines = _lines([scoring.values_of(run) for run in runs])
    first = runs[0]
    if len(runs) == 1:
        label = _with_coverage(first.task, first)
        columns = [Column("0", "x 100"), Column("n")]
    else:
        label = first.task
        columns = [Column(str(place), _head(run)) for place, run in enumerate(runs)]

    table = render(form, Table(lines, [Column("metric", label)], columns))
    return "\n\n".join([table, *(_notes(run, is_named=len(runs) > 1) for run in runs)])


def _lines(by_run: Sequence[Mapping[str, Value]]) -> list[dict[str, Any]]:
    """Return a line per metric, with the cells of the runs under their numbers."""
    lines = []
    for name in dict.fromkeys(name for values in by_run for name in values):
        values = [values.get(name, _NONE) for values in by_run]
        is_zero = all(math.isnan(value.value) or not value.value for value in values)
        if name.endswith(_FAULTS) and is_zero:
            continue
        cells = {str(place): _cell(name, value) for place, value in enumerate(values)}
        lines.append({"metric": name, "n": values[0].n, **cells})
    return lines


def _cell(name: str, value: Value) -> str:
    if name.endswith("_count") and not math.isnan(value.value):
        return f"{value.value:.0f}"
    return number(value.value, *(value.interval or ()))


def _head(run: Run) -> str:
    return f"{_with_coverage(run.name, run)}\njudge {run.judge_name or 'none'}"


def _with_coverage(text: str, run: Run) -> str:
    return f"{text}, {run.coverage} questions" if run.record_set.part else text


def _notes(run: Run, *, is_named: bool) -> str:
    """Return a run's counts, the reasons for missing values, and its signature."""
    score = scoring.score_object(run)
    counts = [f"{key} {n}" for key, n in score["counts"].items() if isinstance(n, int) and n]
    named = f"{run.name}: " if is_named else ""
    lines = [named + ", ".join(counts)]

    whole = run.record_set.withheld()
    if whole is not None:
        lines.append(f"every value is withheld: {whole.reason}; --partial prints it")
    lines += _omitted(score.get("omitted", {}), "" if whole is None else str(whole.reason))
    if "accuracy_lmms_eval" in score["metrics"]:
        lines.append(_MATCHERS)
    return "\n".join([*lines, f"signature: {run.signature.text}"])


def _omitted(reasons: Mapping[str, str], told: str) -> list[str]:
    """Return a line per reason with its metrics, without the reason that was told of all values."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        is_told = bool(told) and reason.endswith(told)
        if not is_told and not name.endswith(_FAULTS):
            by_reason.setdefault(reason, []).append(name)
    return [f"{', '.join(names)} left out: {reason}" for reason, names in by_reason.items()]


def records(runs: Sequence[Run]) -> list[Record]:
    """Return the records of what was measured, then of what is published.

    Both have SciFIBench's overall accuracy of a direction where both subsets were run. L3Scores are
    published by the paper's judge alone.
    """
    measured = []
    for run in runs:
        measured += records_of(run, overall(run, shown_metrics(run)))
    published = [
        record
        for record in published_records(runs)
        if record["group"] == OVERALL and record["judge"] in ("", PAPER_JUDGE)
    ]

    answered = {run.task for run in runs}
    for task, subsets in MEANS.items():
        if answered >= set(subsets):
            measured += _means(measured, task, subsets)
            published += [printed_record(value, task) for value in published_overall(task)]
    return [*measured, *published]


def models_table(runs: Sequence[Run], form: str) -> str:
    """Return the headline of each task, a row per model, beside what papers print of it."""
    heads = {}
    for task in dict.fromkeys(run.task for run in runs):
        heads[task] = leading_metric([run for run in runs if run.task == task])
    shown = []
    for record in records(runs):
        if record["metric"] == heads.get(record["task"], "accuracy"):
            shown.append({**record, "low": None, "high": None})
    return _by_model(shown, form, data=shown)


def paper_table(runs: Sequence[Run], form: str) -> str:
    """Return the paper's table with a row per measured model; LaTeX has no intervals."""
    every = records(runs)
    shown = every
    if form == "latex":
        shown = [{**record, "low": None, "high": None} for record in every]
    return _by_model(shown, form, data=every)


def of_one_model(results: Sequence[Sequence[Run]]) -> list[Run]:
    """Return the runs of several tasks; files with no model's name are taken for one model's.

    Two files of one task are two models'.
    """
    runs = [run for of_task in results for run in of_task]
    is_unnamed = all(run.name in (run.path.stem, run.path.name) for run in runs)
    names = list(dict.fromkeys(run.name for run in runs))
    if not is_unnamed or len(runs) > len(results) or len(names) == 1:
        return runs

    return [dataclasses.replace(run, label=" + ".join(names)) for run in runs]


def _by_model(shown: Sequence[Record], form: str, data: Sequence[Record]) -> str:
    """Return a row per model and a column per task and metric, in the order of the paper's
    table.
    """
    kept = _of_main_table(shown)
    tasks = list(dict.fromkeys(record["task"] for record in shown))
    # a task's columns stand side by side, whoever measured them
    kept.sort(key=lambda record: tasks.index(record["task"]))
    has_several = len({record["metric"] for record in kept}) > 1

    def head(record: Record) -> str:
        task = str(record["task"])
        return f"{task}\n{record['metric']}" if has_several else task

    return render(form, value_table(kept, head, data=data))


def _of_main_table(records: Sequence[Record]) -> list[Record]:
    """Return the values by the metrics of the paper's main table, in its order, and that table's
    rows.

    The main table is the one that prints the most of them.
    """
    sources = Counter(record["source"] for record in records if record["source"] != MEASURED)
    if not sources:
        return list(records)

    main = sources.most_common(1)[0][0]
    order = list(dict.fromkeys(record["metric"] for record in records if record["source"] == main))
    kept = [
        record
        for record in records
        if record["metric"] in order and record["source"] in (MEASURED, main)
    ]
    return sorted(kept, key=lambda record: order.index(record["metric"]))


def _means(measured: Sequence[Record], task: str, subsets: Sequence[str]) -> list[Record]:
    """Return each model's mean over the subsets, which needs no weights: they are of one size."""
    of_model: dict[tuple[str, str], list[Record]] = {}
    for record in measured:
        if record["task"] in subsets and record["metric"] == "accuracy":
            of_model.setdefault((record["model"], record["judge"]), []).append(record)

    return [_mean(members, task) for members in of_model.values() if len(members) == len(subsets)]


def _mean(members: Sequence[Record], task: str) -> Record:
    values = [record["value"] for record in members]
    return {
        **members[0],
        "split": "",
        "task": task,
        "value": None if None in values else sum(values) / len(values),
        "low": None,
        "high": None,
        "n": sum(record["n"] for record in members),
        "questions": "",
    }
