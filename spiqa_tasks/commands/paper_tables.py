"""Makers of the papers' tables: each makes a table again from runs, beside the printed one."""

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from spiqa_tasks.analysis.breakdown import ValueRecord, values_by, withheld_values
from spiqa_tasks.analysis.gain import ablation_pairs
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.analysis.paper import alignment, bootstrap, by_size, correlations, spread
from spiqa_tasks.analysis.published_rows import published_values
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.commands.gain import print_gain
from spiqa_tasks.commands.paper_ranking import rank_captions
from spiqa_tasks.commands.run_arguments import as_shown, runs_at, runs_by_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.printable import abridged, say
from spiqa_tasks.published import NUMBERS, Item, read, tables
from spiqa_tasks.report.printer import STYLES, Column, Columns, Table, number, percent, render
from spiqa_tasks.report.values import (
    JUDGE,
    PART,
    VALUE,
    judge_notes,
    models_table,
    printed_records,
    shown_metrics,
)
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import remarks_on_answers

# Columns of the published CSVs whose values are headings in the papers; others label the rows.
_HEADS = ("benchmark", "category", "subset", "task", "judge", "metric", "correlated_with")


@dataclass(frozen=True)
class MeasuredTable:
    """A function of `analysis.paper` that returns the rows of a table, and the table's columns.

    It takes the runs, the name of a metric (None: the headline) and the item's options.
    """

    rows: Callable[..., Sequence[Mapping[str, Any]]]
    columns: Columns


def _by_setting(shares: Mapping[Any, float]) -> str:
    """Return shares by setting as one cell: `0:53.1 1:54.0`."""
    return " ".join(f"{setting}:{percent(share)}" for setting, share in shares.items())


def _variance(share: float) -> str:
    """Return a share times 100 with three decimals: `0.012`."""
    return f"{100 * share:.3f}"


def _rho(value: float) -> str:
    """Return a correlation as `0.87`; `-` for NaN."""
    return "-" if math.isnan(value) else f"{value:.2f}"


# Settings that tell the experiments of a paper apart; the others vary one experiment.
_EXPERIMENT = ("setting", "ablation", "ocr", "negatives", "mark", "shots", "shuffle")

# The paper's table is the one that is asked for.
_SOURCE = Column("source", show=lambda source: source.partition(",")[0])

# Maker in `published/items.csv` -> its table.
_TABLES = {
    "alignment": MeasuredTable(
        alignment,
        [
            "model",
            "split",
            "mark",
            "ignore",
            "n",
            Column("control", show=number),
            Column("accuracy", show=number),
            Column("change", show=number, more=("low", "high")),
            "questions",
        ],
    ),
    "bootstrap": MeasuredTable(
        bootstrap,
        [
            "model",
            "task",
            "n",
            "size",
            Column("mean", show=number),
            Column("variance", show=_variance),
            "questions",
        ],
    ),
    "correlate": MeasuredTable(
        lambda runs, _: correlations(runs),
        [
            "model",
            "task",
            "metric",
            Column("correlated_with", "with"),
            "judge",
            "n",
            Column("spearman", "Spearman", _rho),
        ],
    ),
    "sizes": MeasuredTable(by_size, ["model", "task", "metric", "by", "group", "n", VALUE]),
    "spread": MeasuredTable(
        spread,
        [
            "model",
            "split",
            "settings",
            "over",
            Column("accuracies", show=_by_setting),
            *(Column(name, show=number) for name in ("mean", "sd", "range")),
            "questions",
        ],
    ),
}


def _runs(arguments: argparse.Namespace, item: Item) -> Sequence[Run]:
    """Return the runs of a table's experiment, and say which of their answers are missing."""
    runs = _of_paper(runs_by_path(arguments), item, arguments)
    say(*remarks_on_answers(runs))
    return runs


def _of_paper(runs: Sequence[Run], item: Item, arguments: argparse.Namespace) -> Sequence[Run]:
    """Return the runs of a table's experiment; name the tasks of other runs on stderr.

    Raises InputError: no such run.
    """
    of_item = []
    others = set()
    for run in runs:
        # a run of a host's own task may have only the value that the host reports
        if run.is_of_benchmark and not run.records:
            continue
        if _is_of_item(run, item):
            of_item.append(run)
        else:
            others.add(run.task)

    wanted = " or ".join(item.tasks)
    if not of_item:
        raise InputError(
            f"Expected runs of {wanted} for {item.name} ({item.shows}), found "
            f"{abridged(sorted(others) or ['none with samples'])}. Name other runs."
        )
    if others:
        say(f"Left out, as {item.name} is of {wanted}: {abridged(sorted(others))}.")
    return as_shown(arguments, of_item)


def _is_of_item(run: Run, item: Item) -> bool:
    """Return whether a run is of the experiment of a table."""
    if run.is_of_benchmark and run.benchmark_task.benchmark_name != item.paper:
        return False
    if item.paper == "mmstar":
        # gain and leakage are of the host's tasks, too; `ablated` runs have the settings of the
        # task with pictures
        return _has_shots(run, item)
    if not run.is_of_benchmark:
        return False

    split = run.benchmark_task.split
    # the printed values beside those of each task are of the paper's split
    is_of_any_split = item.maker != "scores" or split.startswith("demo")
    return any(
        _experiment(run.settings, item) == _experiment(task.settings, item)
        for task in find_tasks(item.tasks)
        if is_of_any_split or task.split == split
    )


def _has_shots(run: Run, item: Item) -> bool:
    """Return whether a run is without pictures, after as many examples as in a table of LLMs; True
    for other tables.
    """
    shots = item.options.get("shots")
    return shots is None or (run.is_blind and run.is_few_shot == (shots != "0"))


def _experiment(settings: Any, item: Item) -> list[Any]:
    """Return the settings of a run or task that tell experiments apart; None: it has none.

    The one that a table varies is none of them.
    """
    varied = item.options.get("over", "").split(",")
    # other prompts vary an experiment, but captions have no accuracy
    is_captioning = getattr(settings, "prompt", None) == "caption"
    names = (name for name in _EXPERIMENT if name not in varied)
    return [is_captioning, *(getattr(settings, name, None) for name in names)]


def _measured(arguments: argparse.Namespace, item: Item) -> int:
    """Print a table of `_TABLES`; return 3 if the value of a run is withheld, else 0."""
    runs = _runs(arguments, item)
    withheld = [run for run in runs if _is_withheld(run, headline(run, arguments.metric))]
    table = _TABLES[item.maker]
    rows = table.rows(runs, arguments.metric, **item.options)
    print(render(arguments.format, Table(rows, table.columns), *_printed(item)))
    return 3 if withheld else 0


def _is_withheld(run: Run, metric: Metric) -> bool:
    """Return whether a run's value over all answers is withheld; say why on stderr."""
    reasons = withheld_values(run, [metric])
    say(*reasons)
    return bool(reasons)


def _main(arguments: argparse.Namespace, item: Item) -> int:
    """Print a row per model; return 3 if the headline of a run is withheld, else 0."""
    runs = _runs(arguments, item)
    print(render(arguments.format, models_table(runs, item.name)))
    withheld = [run for run in runs if _is_withheld(run, headline(run))]
    return 3 if withheld else 0


def _gain(arguments: argparse.Namespace, item: Item) -> int:
    """Print gain and leakage; return 3 if a row is withheld or a pair left out, else 0."""
    runs = _of_paper(runs_at(arguments.runs, arguments), item, arguments)
    pairs, alone, problems = ablation_pairs(runs, metric=arguments.metric)
    say(*alone, *problems)
    is_complete = print_gain(pairs, arguments.format, by=item.options.get("by", ""))
    if arguments.format in STYLES and (printed := _printed(item)):
        print(f"\n{render(arguments.format, *printed)}")
    return 0 if is_complete and not problems else 3


def _scores(arguments: argparse.Namespace, item: Item) -> int:
    """Print the values of the runs, and the paper's values of the same tasks, metrics and groups.

    Return 3 if a value is withheld, else 0.
    """
    runs = _runs(arguments, item)
    names = arguments.metric or item.options.get("metric")
    values, reasons = values_by(
        [(run, _metrics(run, item, names)) for run in runs], item.options.get("by", "")
    )
    say(*reasons)

    measured_cells = set(map(_cell_of, values))
    printed = [
        record for record in printed_records(runs, item.name) if _cell_of(record) in measured_cells
    ]
    whole_table = [] if printed else _printed(item)
    print(render(arguments.format, *_score_tables([*values, *printed]), *whole_table))
    return 3 if any(record["value"] is None for record in values) else 0


def _score_tables(records: Sequence[ValueRecord]) -> list[Table]:
    """Return a table per task and metric, without judges and groups that are the same in all rows.

    The first one has the judges as notes.
    """
    of_table = defaultdict(list)
    for record in records:
        of_table[f"{record['metric']} on {record['task']}, x 100"].append(record)

    notes = judge_notes(records)
    tables = []
    for title, rows in of_table.items():
        sources = {row["source"] for row in rows}
        varied = [
            column
            for column in (JUDGE, Column("group"))
            if len({(row["source"], row[column.name]) for row in rows}) > len(sources)
        ]
        tables.append(Table(rows, ["model", _SOURCE, *varied, VALUE, "n", PART], title, notes))
        notes = []
    return tables


def _metrics(run: Run, item: Item, names: str | None) -> list[Metric]:
    """Return a run's metrics of some names, `accuracy,bleu_1`; by default the item's, or else those
    that lmms-eval prints.
    """
    if names:
        return [run.metric(name) for name in names.split(",")]
    if not run.is_of_benchmark:
        return [run.metric()]

    printed = {record["metric"] for record in published_values(run, item.name)}
    return [metric for metric in run.metrics if metric.name in printed] or shown_metrics(run)


# Task, metric and group of a value: its cell in a table, for any model.
_cell_of = itemgetter("task", "metric", "group")


def _printed(item: Item) -> list[Table]:
    """Return [the published table], in the printed unit, or [] if the paper has only a picture."""
    if (item.paper, item.key) not in tables():
        return []

    rows = read(f"{item.paper}_{item.key}.csv")
    labels, heads = _labels_and_heads(rows)
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    columns = {}
    for row in rows:
        head = " ".join(row[name] for name in heads) or "value"
        label_cells = {name: row[name] for name in labels}
        line = lines.setdefault(tuple(label_cells.values()), label_cells)
        line[head] = _printed_cell(row)
        columns[head] = Column(head, head)

    title = f"As printed, {item.name}"
    return [Table([*lines.values()], [*labels, *columns.values()], title, data=())]


def _labels_and_heads(rows: Sequence[Mapping[str, str]]) -> tuple[list[str], list[str]]:
    """Return the columns of a CSV that label the rows, and those whose values are headings.

    A column with one value in all rows is neither.
    """
    varied = []
    for name in rows[0]:
        # An empty cell is no value: in MMStar's Table 5 the rows of gain have no `strategy`.
        values = {row[name] for row in rows} - {""}
        if name not in NUMBERS and len(values) > 1:
            varied.append(name)
    labels = [name for name in varied if name not in _HEADS]
    return labels, [name for name in varied if name in _HEADS]


def _printed_cell(row: Mapping[str, str]) -> str:
    """Return a printed value with its standard deviation: `53.1 ± 0.4`."""
    deviation = f" ± {row['sd']}" if row.get("sd") else ""
    return f"{row['value'] or '-'}{deviation}"


# Maker in `published/items.csv` -> its function, which prints and returns the exit status.
MAKERS: Mapping[str, Callable[[argparse.Namespace, Item], int]] = {
    **dict.fromkeys(_TABLES, _measured),
    "gain": _gain,
    "main": _main,
    "rank": rank_captions,
    "scores": _scores,
}
