"""Multi-modal gain and leakage of the runs, where there are runs without pictures, beside MMStar's Table 5."""

from __future__ import annotations

from collections.abc import Sequence

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.gain import Row, rows, warnings
from spiqa_tasks.analysis.published_rows import published_gain
from spiqa_tasks.analysis.twins import ablation_pairs
from spiqa_tasks.errors import InputError
from spiqa_tasks.report.tables import Table, estimated, number
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import Gain

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
    """Return those over all questions of a task that have a result, with this."""
    return [(row, row.result) for row in found if row.group == OVERALL and row.result is not None]


def gain_table(found: Sequence[Row]) -> Table:
    """Return gain and leakage overall, with MMStar's published rows where its questions were run in full."""
    rows = []
    for row, result in overall_rows(found):
        scores = map(number, (result.s_v, result.s_wv, result.s_t))
        estimates = map(estimated, (result.mg, result.ml, result.ml_signed))
        rows.append([row.task, row.model, "measured", row.ablation, row.llm or "-", str(row.n), *scores, *estimates])
    printed: dict[str, dict[str, float]] = {}
    for value in published_gain() if any(row.task == MMSTAR_TASK for row in found) else ():
        printed.setdefault(value.model, {})[value.metric] = value.value
    published = [
        [MMSTAR_TASK, model, "published, Table 5", "text", *[""] * 5, number(of.get("mg")), number(of.get("ml")), ""]
        for model, of in printed.items()
    ]
    columns = ["task", "model", "source", "without", "LLM base", "n"]
    columns += ["S_v", "S_wv", "S_t", "gain MG", "leakage ML", "S_wv - S_t"]
    notes = [f"{row.task} of {row.model}: {warning}." for row, _ in overall_rows(found) for warning in warnings(row)]
    return Table("Multi-modal gain and leakage x 100", columns, rows, notes, 5, published)
