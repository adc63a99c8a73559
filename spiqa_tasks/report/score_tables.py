"""Tables of `score`: values of runs, and a paper's main table with rows for measured models."""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, group_value, overall
from spiqa_tasks.analysis.published_rows import MEANS, PAPER_JUDGE, published_overall
from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.report.headline import (
    MEASURED,
    Record,
    lines_of,
    printed_record,
    published_records,
    records_of,
    shown_metrics,
)
from spiqa_tasks.report.printer import Column, Table, render
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number

_NONE = Value(math.nan, 0)
_MATCHERS = (
    "accuracy_... are the same answers as others score them: released by the authors' rules, vlmevalkit by that host's "
    "matcher, lmms_eval as the mean over the detailed axes, which is no share of right answers"
)
_FAULTS = ("_failed_rate",)
"""Ends of the names of rates that are shown only where they are not 0."""


def as_json(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the object of one run; of several runs (models, judges) all objects."""
    if len(runs) == 1:
        return scoring.score_object(runs[0])
    results = [
        {**scoring.score_object(run), "predictions": run.name, "judge": run.judge_name or "none"}
        for run in runs
    ]
    return {"task": runs[0].task, "results": results}


def rows(runs: Sequence[Run]) -> list[Record]:
    """Return the records of every value of the runs."""
    return [
        record
        for run in runs
        for name, value in scoring.values_of(run).items()
        for metric, _, group in [name.partition("/")]
        for record in records_of(run, [group_value(run, metric, group or OVERALL, value)])
    ]


def as_text(runs: Sequence[Run], form: str = "text") -> str:
    """Return the values times 100 for people, one column per model and judge, then counts, reasons and signatures."""
    by_run = [scoring.values_of(run) for run in runs]
    names = dict.fromkeys(name for values in by_run for name in values)
    records = [
        {"metric": name, "n": values[0].n}
        | {str(place): _shown(name, value) for place, value in enumerate(values)}
        for name in names
        for values in [[values.get(name, _NONE) for values in by_run]]
        if not (
            name.endswith(_FAULTS)
            and all(not value.value or math.isnan(value.value) for value in values)
        )
    ]
    if len(runs) == 1:
        metric, columns = _with_coverage(runs[0].task, runs[0]), [Column("0", "x 100"), Column("n")]
    else:
        heads = [
            f"{_with_coverage(run.name, run)}\njudge {run.judge_name or 'none'}" for run in runs
        ]
        metric, columns = (
            runs[0].task,
            [Column(str(place), head) for place, head in enumerate(heads)],
        )
    return f"{render(form, Table(records, [Column('metric', metric)], columns))}\n\n{_notes(runs)}"


def _with_coverage(text: str, run: Run) -> str:
    return f"{text}, {run.coverage} questions" if run.record_set.part else text


def _shown(name: str, value: Value) -> str:
    is_count = name.endswith("_count") and not math.isnan(value.value)
    return f"{value.value:.0f}" if is_count else number(value.value, *(value.interval or ()))


def _notes(runs: Sequence[Run]) -> str:
    """Return counts, reasons for missing values, and the signature; one block per run."""
    blocks = []
    for run in runs:
        found = scoring.score_object(run)
        counts = ", ".join(
            f"{key} {n}" for key, n in found["counts"].items() if isinstance(n, int) and n
        )
        lines = [f"{run.name}: {counts}" if len(runs) > 1 else counts]
        whole = run.record_set.withheld()
        if whole is not None:
            lines.append(f"every value is withheld: {whole.reason}; --partial prints it")
        omitted: dict[str, list[str]] = {}
        for name, reason in found.get("omitted", {}).items():
            if not (
                name.endswith(_FAULTS) or (whole is not None and reason.endswith(str(whole.reason)))
            ):
                omitted.setdefault(reason, []).append(name)
        lines += [f"{', '.join(names)} left out: {reason}" for reason, names in omitted.items()]
        lines += [_MATCHERS] * ("accuracy_lmms_eval" in found["metrics"])
        blocks.append("\n".join([*lines, f"signature: {run.signature.text}"]))
    return "\n\n".join(blocks)


def records(runs: Sequence[Run]) -> list[Record]:
    """Return the records of what was measured, then of what is published.

    Both have SciFIBench's overall accuracy of a direction where both subsets were run. L3Scores are published by the
    paper's judge alone.
    """
    measured = [
        record for run in runs for record in records_of(run, overall(run, shown_metrics(run)))
    ]
    printed = published_records(runs)
    published = [
        each for each in printed if each["group"] == OVERALL and each["judge"] in ("", PAPER_JUDGE)
    ]
    for task, tasks in MEANS.items():
        if {run.task for run in runs} >= set(tasks):
            measured += _means(measured, task, tasks)
            published += [printed_record(value, task) for value in published_overall(task)]
    return [*measured, *published]


def models_table(runs: Sequence[Run], form: str) -> str:
    """Return a row per model and a column per task, its headline without interval, beside what papers print of it."""
    heads = {
        run.task: run.metrics[0].name
        for run in sorted(runs, key=lambda run: bool(run.judged_metric))
    }
    found = [
        each for each in records(runs) if each["metric"] == heads.get(each["task"], "accuracy")
    ]
    return _by_model(found, form, intervals=False)


def paper_table(runs: Sequence[Run], form: str) -> str:
    """Return the records of runs in one of the forms: for people a row per model, a column per task and metric.

    The columns are those of the paper's table that prints the most of them, in its order; LaTeX has no intervals.
    """
    return _by_model(records(runs), form, intervals=form != "latex")


def _by_model(found: Sequence[Record], form: str, *, intervals: bool) -> str:
    shown = [
        each if intervals else {**each, "low": None, "high": None} for each in _of_main_table(found)
    ]
    several = len({record["metric"] for record in shown}) > 1
    tasks = list(dict.fromkeys(record["task"] for record in found))
    heads: dict[str, int] = {}

    def head_of(record: Record) -> str:
        head = f"{record['task']}\n{record['metric']}" if several else str(record["task"])
        heads[head] = tasks.index(record["task"])
        return head

    rows = lines_of(shown, head_of)
    labels = ["model", *["source"] * any(record["source"] != MEASURED for record in shown)]
    labels += ["judge"] * any(record["judge"] for record in shown)
    values = [Column(("cells", head)) for head in sorted(heads, key=heads.__getitem__)]
    return render(form, Table(rows, labels, values, data=found))


def of_one_model(results: Sequence[Sequence[Run]]) -> list[Run]:
    """Return the runs of several tasks; unnamed files of one run each are taken for one model's."""
    runs = [run for each in results for run in each]
    names = list(dict.fromkeys(run.name for run in runs))
    told = [run for run in runs if run.name not in (run.path.stem, run.path.name)]
    if len(names) == 1 or told or any(len(each) != 1 for each in results):
        return runs
    return [dataclasses.replace(run, label=" + ".join(names)) for run in runs]


def _of_main_table(found: Sequence[Record]) -> list[Record]:
    """Return the measured values by the metrics of the paper's main table, in its order, and that table's rows."""
    sources = Counter(record["source"] for record in found if record["source"] != MEASURED)
    if not sources:
        return list(found)
    main = sources.most_common(1)[0][0]
    order = list(dict.fromkeys(record["metric"] for record in found if record["source"] == main))
    kept = [
        record
        for record in found
        if record["metric"] in order and record["source"] in (MEASURED, main)
    ]
    return sorted(
        kept, key=lambda record: (record["source"] == main, order.index(record["metric"]))
    )


def _means(measured: Sequence[Record], task: str, tasks: Sequence[str]) -> Iterator[Record]:
    """Yield the mean over both subsets, of each model; they have 500 questions each, so that it needs no weights."""
    of_model: dict[tuple[str, str], list[Record]] = {}
    for record in measured:
        if record["task"] in tasks and record["metric"] == "accuracy":
            of_model.setdefault((record["model"], record["judge"]), []).append(record)
    for members in of_model.values():
        values = [record["value"] for record in members]
        if len(members) == len(tasks):
            mean = None if None in values else sum(values) / len(values)
            fields = {
                "split": "",
                "task": task,
                "value": mean,
                "low": None,
                "high": None,
                "questions": "",
            }
            yield {**members[0], **fields, "n": sum(record["n"] for record in members)}
