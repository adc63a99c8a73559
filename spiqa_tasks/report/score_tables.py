"""Tables of `score`: values, agreement and ranks of runs, and a paper's main table with rows for measured models."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spiqa_tasks.analysis.agreement import agreements, ranks
from spiqa_tasks.analysis.breakdown import overall
from spiqa_tasks.analysis.experiments import PAPERS
from spiqa_tasks.analysis.published_rows import (
    OVERALL,
    PAPER_JUDGE,
    PublishedValue,
    published_overall,
    published_values,
)
from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.report.headline import judge_of, shown_metrics, with_coverage
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import number, plain

MEASURED = "measured"
"""Source of computed values; published ones name the paper's table."""
_NONE = Value(math.nan, 0)
_KEY = ("model", "source", "judge")
"""Labels of a row of the table."""
_NO_MORE = {"low": math.nan, "high": math.nan, "questions": ""}
_SHORT = {
    "meteor": "M",
    "rouge_l": "R-L",
    "cider": "C",
    "bertscore_f1": "B-F1",
    "l3score": "L3S",
    "retrieval_accuracy": "Acc",
}
"""Metric -> its heading in SPIQA's tables."""


def as_json(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the object of one run; of several runs (models, judges) all objects, with agreement and ranks."""
    if len(runs) == 1:
        return scoring.score_object(runs[0])
    return {
        "task": runs[0].task,
        "results": [
            {**scoring.score_object(run), "predictions": run.name, "judge": run.judge_name or "none"} for run in runs
        ],
        "agreement": [dataclasses.asdict(agreement) for agreement in agreements(runs)],
        "ranks": ranks(runs),
    }


def rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return a row per run and metric, in natural units."""
    return [
        {
            "task": run.task,
            "model": run.name,
            "judge": run.judge_name,
            "metric": name,
            "value": value.value,
            **dict(zip(("low", "high"), value.interval or (None, None), strict=True)),
            "n": value.n,
            "questions": run.coverage,
            "signature": run.signature.text,
        }
        for run in runs
        for name, value in scoring.values_of(run).items()
    ]


def as_text(runs: Sequence[Run], form: str = "text") -> str:
    """Return the values times 100 for people, one column per model and judge, then counts, reasons and signatures."""
    by_run = [scoring.values_of(run) for run in runs]
    names = dict.fromkeys(name for values in by_run for name in values)
    records = [
        {"metric": name, "n": values[0].n} | {str(place): _shown(name, value) for place, value in enumerate(values)}
        for name in names
        for values in [[values.get(name, _NONE) for values in by_run]]
        if not (name.endswith("_failed_rate") and all(not value.value or math.isnan(value.value) for value in values))
    ]
    if len(runs) == 1:
        metric, columns = with_coverage(runs[0].task, runs[0]), [Column("0", "x 100"), Column("n")]
    else:
        heads = [f"{with_coverage(run.name, run)}\njudge {run.judge_name or 'none'}" for run in runs]
        metric, columns = runs[0].task, [Column(str(place), head) for place, head in enumerate(heads)]
    parts = [render(form, Table(records, [Column("metric", metric)], columns)), _notes(runs)]
    if len({run.judge_name for run in runs}) > 1:
        parts.append(_agreements(runs, form))
    if len({run.name for run in runs}) > 1 and any(run.judged_metric for run in runs):
        parts.append(_ranks(runs, form))
    return "\n\n".join(parts)


def _shown(name: str, value: Value) -> str:
    """Return shares and scores times 100 with their intervals, counts as they are."""
    is_count = name.endswith("_count") and not math.isnan(value.value)
    return f"{value.value:.0f}" if is_count else number(value.value, *(value.interval or ()))


def _notes(runs: Sequence[Run]) -> str:
    """Return counts, reasons for missing values, and the signature; one block per run."""
    blocks = []
    for run in runs:
        found = scoring.score_object(run)
        counts = ", ".join(f"{key} {n}" for key, n in found["counts"].items() if isinstance(n, int) and n)
        lines = [f"{run.name}: {counts}" if len(runs) > 1 else counts]
        whole = run.record_set.withheld()
        if whole is not None:
            lines.append(f"every value is withheld: {whole.reason}; --partial prints it")
        for name, reason in found.get("omitted", {}).items():
            if whole is None or not reason.endswith(str(whole.reason)):
                lines.append(f"{name} left out: {reason}")
        blocks.append("\n".join([*lines, f"signature: {run.signature.text}"]))
    return "\n\n".join(blocks)


def _agreements(runs: Sequence[Run], form: str) -> str:
    labels = [Column("judges", show=" / ".join), Column("predictions", "answers")]
    values: Columns = ["n", Column("spearman", "Spearman", plain), Column("kendall", "Kendall", plain)]
    return render(
        form, Table(as_records(agreements(runs)), labels, values, "Agreement of the judges, answer by answer")
    )


def _ranks(runs: Sequence[Run], form: str) -> str:
    by_judge = ranks(runs)
    names = dict.fromkeys(run.name for run in runs)
    rows = [
        {"answers": name, "judges": {judge: places.get(name) or "-" for judge, places in by_judge.items()}}
        for name in names
    ]
    values: Columns = [Column(("judges", judge)) for judge in by_judge]
    return render(form, Table(rows, ["answers"], values, f"Rank by {runs[0].judged_metric}"))


def records(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return a record per model, task and metric in natural units: what was measured, then what is published.

    Both have SciFIBench's overall accuracy of a direction where both subsets were run. L3Scores are published by the
    paper's judge alone.
    """
    measured = [record for run in runs for record in _measured(run)]
    published = [record for run in runs for record in _published(run)]
    for group, tasks in OVERALL.items():
        if {run.task for run in runs} >= set(tasks):
            measured += _means(measured, group, tasks)
            published += [_printed(value, group) for value in published_overall(group)]
    return [*measured, *published]


def paper_table(runs: Sequence[Run], form: str) -> str:
    """Return the records of runs in one of the forms: for people a row per model, a column per task and metric.

    The columns are those of the paper's table that prints the most of them, in its order; LaTeX has no intervals.
    """
    found = records(runs)
    shown = _of_main_table(found)
    several = len({record["metric"] for record in shown}) > 1
    tasks = list(dict.fromkeys(record["task"] for record in found))
    columns: dict[str, int] = {}
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in shown:
        head = re.sub(rf"^({'|'.join(PAPERS)})_", "", record["task"])
        head += f" {_SHORT.get(record['metric'], record['metric'])}" if several else ""
        columns[head] = tasks.index(record["task"])
        ends = () if form == "latex" else (record["low"], record["high"])
        cell = number(record["value"], *ends) + (f" ({record['questions']})" if record["questions"] else "")
        key = {part: record[part] for part in _KEY}
        rows.setdefault((*key.values(),), {**key, "cells": {}})["cells"][head] = cell
    values = [Column(("cells", head)) for head in sorted(columns, key=columns.__getitem__)]
    return render(form, Table([*rows.values()], _KEY, values, data=found))


def of_one_model(results: Sequence[Sequence[Run]]) -> list[Run]:
    """Return the runs of several tasks; unnamed files of one run each are taken for one model's."""
    runs = [run for each in results for run in each]
    names = list(dict.fromkeys(run.name for run in runs))
    told = [run for run in runs if run.name not in (run.path.stem, run.path.name)]
    if len(names) == 1 or told or any(len(each) != 1 for each in results):
        return runs
    return [dataclasses.replace(run, label=" + ".join(names)) for run in runs]


def _of_main_table(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the measured values by the metrics of the paper's main table, in its order, and that table's rows."""
    sources = Counter(record["source"] for record in found if record["source"] != MEASURED)
    if not sources:
        return list(found)
    main = sources.most_common(1)[0][0]
    order = list(dict.fromkeys(record["metric"] for record in found if record["source"] == main))
    kept = [record for record in found if record["metric"] in order and record["source"] in (MEASURED, main)]
    return sorted(kept, key=lambda record: (record["source"] == main, order.index(record["metric"])))


def _measured(run: Run) -> Iterator[dict[str, Any]]:
    names = {"model": run.name, "source": MEASURED, "judge": judge_of(run), "task": run.task}
    for value in overall(run, shown_metrics(run)):
        numbers = {"value": value.value, "low": value.low, "high": value.high}
        yield {**names, "metric": value.metric, **numbers, "questions": run.record_set.part}


def _published(run: Run) -> Iterator[dict[str, Any]]:
    needs = {metric.name: metric.needs for metric in shown_metrics(run)}
    judge = PAPER_JUDGE if "judge" in needs.values() else "-"
    for value in published_values(run):
        if value.group is None and value.metric in needs and value.judge in ("", PAPER_JUDGE):
            yield _printed(value, run.task, judge)


def _printed(value: PublishedValue, task: str, judge: str = "-") -> dict[str, Any]:
    names = {"model": value.model, "source": f"published, {value.table}", "judge": judge, "task": task}
    return {**names, "metric": value.metric, "value": value.value, **_NO_MORE}


def _means(measured: Sequence[Mapping[str, Any]], group: str, tasks: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the mean over both subsets, of each model; they have 500 questions each, so that it needs no weights."""
    values: dict[tuple[str, ...], list[float]] = {}
    for record in measured:
        if record["task"] in tasks and record["metric"] == "accuracy":
            values.setdefault(tuple(record[name] for name in _KEY), []).append(record["value"])
    for key, each in values.items():
        if len(each) == len(tasks):
            names = dict(zip(_KEY, key, strict=True))
            yield {**names, "task": group, "metric": "accuracy", "value": sum(each) / len(each), **_NO_MORE}
