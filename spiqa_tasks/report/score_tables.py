"""Tables of `score`: values of the runs, agreement and ranks by several judges."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spiqa_tasks.analysis.agreement import Agreement, agreements, ranks
from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.report.headline import with_coverage
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, render
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import number, plain

_NONE = Value(math.nan, 0)


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
    rows = [(name, [values.get(name, _NONE) for values in by_run]) for name in names]
    shown = [(name, values) for name, values in rows if not _is_trivial(name, values)]
    records = [
        {"metric": name, "n": values[0].n} | {str(place): _shown(name, value) for place, value in enumerate(values)}
        for name, values in shown
    ]
    if len(runs) == 1:
        metric, columns = with_coverage(runs[0].task, runs[0]), [Column("0", "x 100"), Column("n")]
    else:
        heads = [f"{with_coverage(run.name, run)}\njudge {run.judge_name or 'none'}" for run in runs]
        metric, columns = runs[0].task, [Column(str(place), head) for place, head in enumerate(heads)]
    parts = [render(form, Table(records, [Column("metric", metric)], columns)), _notes(runs)]
    if len({run.judge_name for run in runs}) > 1:
        parts.append(_agreements(agreements(runs), form))
    if len({run.name for run in runs}) > 1 and any(run.judged_metric for run in runs):
        parts.append(_ranks(runs, form))
    return "\n\n".join(parts)


def _is_trivial(name: str, values: Sequence[Value]) -> bool:
    """Return whether a row is a rate of failures that is 0."""
    return name.endswith("_failed_rate") and all(value.value == 0 or math.isnan(value.value) for value in values)


def _shown(name: str, value: Value) -> str:
    """Return shares and scores times 100 with their intervals, counts as they are."""
    is_count = name.endswith("_count") and not math.isnan(value.value)
    return f"{value.value:.0f}" if is_count else number(value.value, *(value.interval or ()))


def _notes(runs: Sequence[Run]) -> str:
    """Return counts, reasons for missing values, and the signature; one block per run."""
    blocks = []
    for run in runs:
        found = scoring.score_object(run)
        counts = ", ".join(
            f"{key} {value}" for key, value in found["counts"].items() if isinstance(value, int) and value
        )
        lines = [f"{run.name}: {counts}" if len(runs) > 1 else counts]
        lines += list(_left_out(run, found.get("omitted", {})))
        blocks.append("\n".join([*lines, f"signature: {run.signature.text}"]))
    return "\n\n".join(blocks)


def _left_out(run: Run, reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each row without a value, and one for a run that is withheld as a whole."""
    whole = run.record_set.withheld()
    if whole is not None:
        yield f"every value is withheld: {whole.reason}; --partial prints it"
    for name, reason in reasons.items():
        if whole is None or not reason.endswith(str(whole.reason)):
            yield f"{name} left out: {reason}"


def _agreements(found: Sequence[Agreement], form: str) -> str:
    labels = [Column("judges", show=" / ".join), Column("predictions", "answers")]
    values: Columns = ["n", Column("spearman", "Spearman", plain), Column("kendall", "Kendall", plain)]
    return render(form, Table(as_records(found), labels, values, "Agreement of the judges, answer by answer"))


def _ranks(runs: Sequence[Run], form: str) -> str:
    by_judge = ranks(runs)
    names = dict.fromkeys(run.name for run in runs)
    rows = [
        {"answers": name, "judges": {judge: places.get(name) or "-" for judge, places in by_judge.items()}}
        for name in names
    ]
    values: Columns = [Column(("judges", judge)) for judge in by_judge]
    return render(form, Table(rows, ["answers"], values, f"Rank by {runs[0].judged_metric}"))
