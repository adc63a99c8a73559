"""Rows of a benchmark's paper for a run: the same split, setting and metric."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, ValueRecord
from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.metric import RELEASED
from spiqa_tasks.benchmarks.mmstar.definition import CATEGORIES
from spiqa_tasks.benchmarks.mmstar.release import MMStarSettings
from spiqa_tasks.benchmarks.scifibench.release import SciFIBenchSettings
from spiqa_tasks.benchmarks.spiqa.release import SMALL, SpiqaSettings
from spiqa_tasks.published import item_named, load
from spiqa_tasks.runs.run import Run

# Groups of rows that are not of a released model.
NO_MODELS = ("difference", "mean", "fine-tuned")

# The judge of SPIQA's tables, but for Table B.1, which names its own.
PAPER_JUDGE = "GPT-4o"

# Names of ours -> names that SPIQA prints.
_SPIQA_SPLITS = {"testA": "test-A", "testB": "test-B", "testC": "test-C"}
# Open models were shown small figures, one at a time.
_SPIQA_SETTINGS = {
    SpiqaSettings(): "direct",
    SpiqaSettings(setting="perfigure", max_figures=0, resolution=SMALL): "direct",
    SpiqaSettings(setting="fullpaper"): "full_paper",
    SpiqaSettings(setting="cot"): "cot",
}
# The main tables come first: a value that two tables print is theirs.
_SPIQA_TABLES = ("table3", "table5", "table6", "tableE1", "tableE2", "tableB1")

# Column of MMStar's tables -> category of the release.
_MMSTAR_CATEGORIES = dict(zip(("CP", "FP", "IR", "LR", "ST", "MA"), CATEGORIES, strict=True))

# Words of our tasks' names -> what SciFIBench's tables call them.
_DIRECTIONS = {"fig2cap": "figure_to_caption", "cap2fig": "caption_to_figure"}
_SUBSETS = {"cs": "CS", "general": "General"}
# Mean of SciFIBench -> the tasks whose mean is its overall accuracy; they are of one size.
MEANS = {
    f"scifibench_{direction}": [f"scifibench_{subset}_{direction}" for subset in _SUBSETS]
    for direction in _DIRECTIONS
}


def published_values(run: Run, table: str | None = None) -> list[ValueRecord]:
    """Return the numbers printed for the run's split and setting, of one table (`Table 6`).

    `model` and the table in `source` are as the paper names them, `metric` and `group` as this
    package does; `judge` is that of L3Score, '' for metrics that need none. A record has no `n`,
    interval or other field of a run.

    By default each is of the first table that has it; L3Scores are then by the main tables' judge.
    SPIQA's groups are the `corrected` ones, as which Table 6 reads the figure types. MMStar's
    numbers are by the authors' rules, so they are returned for `accuracy_released` as well.
    """
    read = _READERS.get(type(run.settings))
    if read is None:
        return []

    records: dict[tuple[Any, ...], ValueRecord] = {}
    for record in read(run.benchmark_task.split, run.settings):
        is_of_table = record["source"] == f"published, {table}"
        is_wanted = record["judge"] in ("", PAPER_JUDGE) if table is None else is_of_table
        if is_wanted:
            key = (record["model"], record["metric"], record["group"], record["judge"])
            records.setdefault(key, record | {"task": run.task})
    return list(records.values())


def published_overall(mean: str) -> Iterator[ValueRecord]:
    """Yield SciFIBench's overall accuracies of Table 2, by models that see pictures; `mean` is one
    of `MEANS`.
    """
    direction = _DIRECTIONS[mean.removeprefix("scifibench_")]
    keys = {"subset": "Overall", "task": direction, "negatives": "adversarial"}
    for row in _rows("scifibench", "table2", **keys):
        if row["group"] != "text-only":
            yield _value(row, "accuracy") | {"task": mean}


def _spiqa(split: str, settings: SpiqaSettings) -> Iterator[ValueRecord]:
    """Yield the values that SPIQA prints for a split and its setting."""
    # protocol and seed vary; all other settings are those of a table
    printed = replace(settings, protocol=SpiqaSettings.protocol, seed=SpiqaSettings.seed)
    if split not in _SPIQA_SPLITS or printed not in _SPIQA_SETTINGS:
        return

    keys = {"split": _SPIQA_SPLITS[split], "setting": _SPIQA_SETTINGS[printed]}
    suffixes = ["", RELEASED] if settings.protocol == "both" else [""]
    for table in _SPIQA_TABLES:
        for row in _rows("spiqa", table, **keys):
            group = "nonplot" if row["category"] == "other" else row["category"]
            judge = row.get("judge") or PAPER_JUDGE if row["metric"] == "l3score" else ""
            for suffix in suffixes:
                yield _value(row, row["metric"] + suffix, group, judge)


def _mmstar(split: str, settings: MMStarSettings) -> Iterator[ValueRecord]:
    """Yield the values that MMStar prints: with pictures (Table 5), or 2-shot without (Table 4)."""
    tables = {("none", "0"): "table5", ("text", "2"): "table4"}
    table = tables.get((settings.ablation, settings.shots))
    if split != "val" or table is None:
        return

    for row in _rows("mmstar", table, metric="accuracy"):
        group = _MMSTAR_CATEGORIES.get(row["category"], OVERALL)
        for metric in ("accuracy", "accuracy_released"):
            yield _value(row, metric, group)


def _scifibench(split: str, settings: SciFIBenchSettings) -> Iterator[ValueRecord]:
    """Yield the values that SciFIBench prints for a split: overall, and by category."""
    subset, _, direction = split.partition("_")
    # Every setting that is not named here has its default in the tables.
    printed = SciFIBenchSettings(
        ocr=settings.ocr, negatives=settings.negatives, extractor=settings.extractor
    )
    if settings != printed or subset not in _SUBSETS or direction not in _DIRECTIONS:
        return

    keys = {"subset": _SUBSETS[subset], "task": _DIRECTIONS[direction]}
    for table in ("table2", "table5"):
        for row in _rows("scifibench", table, negatives=settings.negatives, **keys):
            if (row["group"] == "text-only") == (settings.ocr == "yes"):
                yield _value(row, "accuracy", slug(row.get("category", OVERALL)))


# Settings of a benchmark -> the reader of its paper's tables.
_READERS: Mapping[type, Callable[[str, Any], Iterator[ValueRecord]]] = {
    SpiqaSettings: _spiqa,
    MMStarSettings: _mmstar,
    SciFIBenchSettings: _scifibench,
}


def _rows(paper: str, table: str, **keys: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a paper's table with given keys that are values of models, each with the
    name of the table, `Table 5`.
    """
    name = item_named(paper, table).name
    for row in load(paper, table):
        is_wanted = all(row[key] == value for key, value in keys.items())
        if is_wanted and row["value"] is not None and row["group"] not in NO_MODELS:
            yield row | {"table": name}


def _value(
    row: Mapping[str, Any], metric: str, group: str = OVERALL, judge: str = ""
) -> ValueRecord:
    """Return a row of `_rows` as a record, of percent as a share."""
    return {
        "model": row["model"],
        "source": f"published, {row['table']}",
        "judge": judge,
        "metric": metric,
        "group": group,
        "value": row["value"] / 100,
    }
