"""Rows of a benchmark's paper for a run: the same split, setting and metric."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.mmstar.definition import CATEGORIES
from spiqa_tasks.benchmarks.mmstar.release import MMStarSettings
from spiqa_tasks.benchmarks.scifibench.release import SciFIBenchSettings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.published import load
from spiqa_tasks.runs.run import Run

NO_MODELS = frozenset({"difference", "mean", "fine-tuned"})
"""Groups of rows that are not of a released model."""

_SPIQA_SPLITS = {"testA": "test-A", "testB": "test-B", "testC": "test-C"}
_SPIQA_SETTINGS = {
    "direct": "direct",
    "perfigure": "direct",
    "fullpaper": "full_paper",
    "cot": "cot",
}
_SPIQA_TABLES = ("table3", "table5", "table6", "tableE1", "tableE2", "tableB1")
_MMSTAR_CATEGORIES = dict(zip(("CP", "FP", "IR", "LR", "ST", "MA"), CATEGORIES, strict=True))
_DIRECTIONS = {"fig2cap": "figure_to_caption", "cap2fig": "caption_to_figure"}
_SUBSETS = {"cs": "CS", "general": "General"}
PAPER_JUDGE = "GPT-4o"
"""The judge of SPIQA's tables, but for Table B.1, which names its own."""

MEANS = {
    f"scifibench_{direction}": [f"scifibench_{subset}_{direction}" for subset in _SUBSETS]
    for direction in _DIRECTIONS
}
"""Mean of SciFIBench -> the tasks whose mean is its overall accuracy; they are of one size."""


@dataclass(frozen=True)
class PublishedValue:
    """One printed number, in natural units (0 to 1, CIDEr 0 to 10).

    `model` and `table` are as the paper names them, `metric` and `group` (None: all answers) as
    this package does; `judge` is that of L3Score, "" for metrics that need none.
    """

    model: str
    table: str
    metric: str
    group: str | None
    value: float
    judge: str = ""


def published_values(run: Run, table: str | None = None) -> list[PublishedValue]:
    """Return the numbers printed for the run's split and setting, of one table (`Table 6`) or the
    first that has each.

    SPIQA's groups are the `corrected` ones, as which Table 6 reads the figure types. MMStar's
    numbers are by the authors' rules, so they are returned for `accuracy_released` as well.
    """
    values: dict[tuple[Any, ...], PublishedValue] = {}
    read = _READERS.get(type(run.settings))
    for value in read(run.own.split, run.settings) if read else ():
        if table in (None, value.table):
            values.setdefault((value.model, value.metric, value.group, value.judge), value)
    return list(values.values())


def published_gain() -> Iterator[PublishedValue]:
    """Yield MMStar's gain (`mg`) and leakage (`ml`) of Table 5, overall."""
    for row in load("mmstar", "table5"):
        if row["metric"] in ("mg", "ml") and row["category"] == "all" and row["value"] is not None:
            yield PublishedValue(
                str(row["model"]), "Table 5", str(row["metric"]), None, float(row["value"]) / 100
            )


def published_overall(group: str) -> Iterator[PublishedValue]:
    """Yield SciFIBench's overall accuracies of Table 2, by models that see pictures; `group` is
    one of `MEANS`.
    """
    direction = _DIRECTIONS[group.removeprefix("scifibench_")]
    for row in _rows(
        "scifibench", "table2", subset="Overall", task=direction, negatives="adversarial"
    ):
        if row["group"] != "text-only":
            yield _value(row, "table2", "accuracy", None)


def _spiqa(split: str, settings: SpiqaSettings) -> Iterator[PublishedValue]:
    same = SpiqaSettings(setting=settings.setting, protocol=settings.protocol, seed=settings.seed)
    setting = _SPIQA_SETTINGS.get(settings.setting)
    if split not in _SPIQA_SPLITS or setting is None or settings != same:
        return
    for table in _SPIQA_TABLES:
        for row in _rows("spiqa", table, split=_SPIQA_SPLITS[split], setting=setting):
            metric, category = str(row["metric"]), row["category"]
            judge = str(row.get("judge") or PAPER_JUDGE) if metric == "l3score" else ""
            group = {"all": None, "other": "nonplot"}.get(str(category), str(category))
            yield _value(row, table, metric, group, judge)
            if settings.protocol == "both":
                yield _value(row, table, f"{metric}_released", group, judge)


def _mmstar(split: str, settings: MMStarSettings) -> Iterator[PublishedValue]:
    table = {("none", "0"): "table5", ("text", "2"): "table4"}.get(
        (settings.ablation, settings.shots)
    )
    if split != "val" or table is None:
        return
    for row in _rows("mmstar", table, metric="accuracy"):
        group = _MMSTAR_CATEGORIES.get(str(row["category"]))
        yield from (
            _value(row, table, metric, group) for metric in ("accuracy", "accuracy_released")
        )


def _scifibench(split: str, settings: SciFIBenchSettings) -> Iterator[PublishedValue]:
    subset, _, direction = split.partition("_")
    same = SciFIBenchSettings(
        ocr=settings.ocr, negatives=settings.negatives, extractor=settings.extractor
    )
    if subset not in _SUBSETS or direction not in _DIRECTIONS or settings != same:
        return
    keys = {
        "subset": _SUBSETS[subset],
        "task": _DIRECTIONS[direction],
        "negatives": settings.negatives,
    }
    for table in ("table2", "table5"):
        for row in _rows("scifibench", table, **keys):
            if (row["group"] == "text-only") == (settings.ocr == "yes"):
                category = str(row.get("category", "all"))
                yield _value(row, table, "accuracy", None if category == "all" else slug(category))


_READERS: Mapping[type, Callable[[str, Any], Iterator[PublishedValue]]] = {
    SpiqaSettings: _spiqa,
    MMStarSettings: _mmstar,
    SciFIBenchSettings: _scifibench,
}


def _rows(paper: str, table: str, **keys: str) -> Iterator[Mapping[str, str | float | None]]:
    for row in load(paper, table):
        same = all(row[name] == value for name, value in keys.items())
        if same and row["value"] is not None and row["group"] not in NO_MODELS:
            yield row


def _value(
    row: Mapping[str, Any], table: str, metric: str, group: str | None, judge: str = ""
) -> PublishedValue:
    number = table.removeprefix("table")
    name = f"Table {number[0]}.{number[1:]}" if number[0].isalpha() else f"Table {number}"
    return PublishedValue(str(row["model"]), name, metric, group, row["value"] / 100, judge)
