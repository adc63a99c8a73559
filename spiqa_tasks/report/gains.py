"""Tables of pairs of runs: multi-modal gain and leakage beside MMStar's Table 5, and paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.gain import Row, rows, warnings
from spiqa_tasks.analysis.published_rows import published_gain
from spiqa_tasks.analysis.twins import ablation_pairs
from spiqa_tasks.errors import InputError
from spiqa_tasks.report.printer import Column, Columns, Table, as_records
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import Gain
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.units import estimated, number, p_value

MMSTAR_TASK = "mmstar_filtered"


def gain_rows(runs: Sequence[Run], llm: Sequence[Run] = ()) -> tuple[list[Row], list[str]]:
    """Return gain and leakage of every model that was also run without pictures, and why others have none.

    `llm` are those of the runs that are an LLM base's; those of our `_llm` tasks are known as such.
    """
    logged = [run for run in runs if run.logged]
    if not any(selection.ablation(run) != "none" and not selection.is_few_shot(run) for run in logged):
        return [], []
    remarks: list[str] = []
    for with_base in (True, False):
        try:
            compared, *_ = ablation_pairs(logged, llm if with_base else (), with_base=with_base)
        except InputError as error:
            remarks.append(str(error))
            continue
        found = [row for pair in compared for row in rows(pair)]
        withheld = [row for row in found if row.group == OVERALL and row.withheld]
        return found, remarks + [f"{row.task} of {row.model} is withheld: {row.withheld}." for row in withheld]
    return [], list(dict.fromkeys(remarks))


def overall_rows(found: Sequence[Row]) -> list[tuple[Row, Gain]]:
    """Return the rows over all questions of a task, with their results; withheld ones are left out."""
    return [(row, row.result) for row in found if row.group == OVERALL and row.result is not None]


def gain_table(found: Sequence[Row]) -> Table:
    """Return gain and leakage overall, with MMStar's published rows where its questions were run in full."""
    rows = [
        {
            **{"task": row.task, "model": row.model, "source": "measured", "without": row.ablation},
            **{"LLM base": row.llm or "-", "n": row.n},
            **{name: getattr(result, name) for name in ("s_v", "s_wv", "s_t", "mg", "ml", "ml_signed")},
        }
        for row, result in overall_rows(found)
    ]
    printed: dict[str, dict[str, Any]] = {}
    for value in published_gain() if any(row.task == MMSTAR_TASK for row in found) else ():
        of = {"task": MMSTAR_TASK, "model": value.model, "source": "published, Table 5", "without": "text"}
        printed.setdefault(value.model, {**of, "mg": None, "ml": None})[value.metric] = Estimate(value.value)
    scores = [Column(f"s_{name}", f"S_{name}", number) for name in ("v", "wv", "t")]
    heads = {"mg": "gain MG", "ml": "leakage ML", "ml_signed": "S_wv - S_t"}
    values: Columns = ["LLM base", "n", *scores, *(Column(name, head, estimated) for name, head in heads.items())]
    notes = [f"{row.task} of {row.model}: {warning}." for row, _ in overall_rows(found) for warning in warnings(row)]
    labels: Columns = ["task", "model", "source", "without"]
    return Table(rows, labels, values, "Multi-modal gain and leakage x 100", notes, [*printed.values()])


def comparison_table(found: Sequence[Comparison]) -> Table:
    """Return the paired differences of runs."""
    values: Columns = [
        Column("difference.n"),
        *(Column("score_b", "run x 100", number), Column("score_a", "against x 100", number)),
        Column("difference.difference", "difference", number, ("difference.low", "difference.high")),
        *(Column("difference.p", "p", p_value), Column("p_corrected", "p corrected", p_value)),
        *(Column(name, show=lambda ids: str(len(ids))) for name in ("won", "lost")),
        Column("difference.smallest", "smallest", number),
    ]
    notes = [
        "The difference is the run minus the one it stands against, on the questions that both answered; 95% intervals "
        "of the paired test, clustered by paper in SPIQA. Corrected p-values are Holm's, for all lines together. "
        "Smallest: the smallest true difference that so many questions show with 80% probability.",
        *(f"{each.task}, {each.b} against {each.a}: {'; '.join(each.warnings)}." for each in found if each.warnings),
    ]
    labels: Columns = ["task", "metric", Column("b", "run"), Column("a", "against")]
    return Table(as_records(found), labels, values, "Paired differences", notes)
