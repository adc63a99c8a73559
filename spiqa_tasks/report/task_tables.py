"""Tables of one task's runs beside the rows of its paper, overall and by group."""

from collections.abc import Sequence
from operator import itemgetter

from spiqa_tasks.analysis.breakdown import OVERALL, group_value, groups_of, overall
from spiqa_tasks.analysis.merging import differing
from spiqa_tasks.report.printer import Table
from spiqa_tasks.report.records import (
    Record,
    leading_metric,
    published_records,
    records_of,
    reported_records,
    shown_metrics,
    value_table,
)
from spiqa_tasks.runs.run import Run

PLOTTED = {
    "category": "category",
    "figure_type": "type of figure",
    "figures": "number of figures shown",
}
"""Kind of group that is plotted -> its name; the others have too many groups for a plot."""

_NAMES = {
    **PLOTTED,
    "direction": "direction",
    "subcategory": "detailed axis",
    "figure_type_released": "type as released",
}
# joins three of SPIQA's types, which stand beside it
_HIDDEN = "nonplot"


def headline_table(runs: Sequence[Run]) -> Table:
    """Return every metric of the runs of one task, and the rows of its paper and of others."""
    measured = []
    for run in runs:
        measured += records_of(run, overall(run, shown_metrics(run)))
    printed = [record for record in published_records(runs) if record["group"] == OVERALL]
    others = reported_records(runs)

    notes = [*_differences(runs), *_withheld(runs)]
    if not printed:
        notes.append("The paper prints no row for this split and setting.")
    if any(run.judged_metric for run in runs):
        notes.append("Scores of different judges are not comparable.")
    if others:
        urls = ", ".join(dict.fromkeys(record["url"] for record in others))
        notes.append(f"Reported rows are by others, in settings of their own: {urls}")

    title = "Scores x 100, with 95% intervals"
    records = [*measured, *printed, *others]
    return value_table(records, itemgetter("metric"), title, notes, with_n=True)


def group_values(runs: Sequence[Run]) -> dict[str, list[Record]]:
    """Return the records of the leading metric by kind of group, run by run."""
    metric = leading_metric(runs)
    records: dict[str, list[Record]] = {}
    for run in runs:
        for of_run in run.metrics:
            if of_run.name != metric:
                continue
            for kind, groups in groups_of(run, of_run).items():
                values = [
                    group_value(run, metric, group, run.value(of_run, group)) for group in groups
                ]
                records.setdefault(kind, []).extend(records_of(run, values))

    records.pop(_HIDDEN, None)
    return records


def group_table(runs: Sequence[Run], kind: str, measured: Sequence[Record]) -> Table:
    """Return a metric by the groups of one kind, beside the paper's values for them."""
    metric = measured[0]["metric"]
    sizes = {record["group"]: _group_size(record) for record in measured}
    printed = [
        record
        for record in published_records(runs)
        if record["group"] in sizes and record["metric"] == metric
    ]
    notes = []
    if any(record["value"] is None for record in measured):
        notes.append("A dash: fewer than 99% of the group's questions have a score.")

    if any(record["value"] is not None and record["low"] is None for record in measured):
        notes.append("No interval: too few papers, or a metric that is no mean of single scores.")

    def head(record: Record) -> str:
        return f"{record['group']} (n = {sizes[record['group']]})"

    title = f"{metric} by {_NAMES.get(kind, kind)}"
    return value_table([*measured, *printed], head, title, notes, folded=kind not in PLOTTED)


def _group_size(record: Record) -> str:
    return str(record["questions"]).rpartition(" of ")[2]


def _differences(runs: Sequence[Run]) -> list[str]:
    """Return a sentence for each signature field in which the runs differ."""
    first, *others = runs
    sentences = {}
    for run in others:
        for name in differing(first.signature, run.signature):
            sentences[name] = f"Compared numbers differ in {name} ({first.name} and {run.name})."
    return list(sentences.values())


def _withheld(runs: Sequence[Run]) -> list[str]:
    sentences = []
    for run in runs:
        for metric in shown_metrics(run):
            reason = run.value(metric).reason
            if reason:
                sentences.append(f"{run.name}: {metric.name} is withheld, {reason}.")
    return sentences
