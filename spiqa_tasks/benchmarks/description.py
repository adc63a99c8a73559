"""Counts of the releases beside those that their papers print."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from spiqa_tasks.benchmarks.mmstar import release as mmstar
from spiqa_tasks.benchmarks.scifibench import release as scifibench
from spiqa_tasks.benchmarks.spiqa import release as spiqa
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS, Paper
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, Source
from spiqa_tasks.published import load


@dataclass(frozen=True)
class Count:
    """A number that describes a release, in its own unit.

    Attributes:
        split: split of the release, or `all` for several.
        place: table or figure of the paper.
        statistic: name of the number.
        value: the number counted; NaN if withheld.
        published: the number printed; NaN if there is none.
        why_not: why `value` is withheld, or ''.
        is_missing: whether files are missing or cannot be read.
    """

    split: str
    place: str
    statistic: str
    value: float
    published: float
    why_not: str
    is_missing: bool

    @property
    def difference(self) -> float:
        """Counted minus printed; NaN without one of the two."""
        return self.value - self.published


GENERATED = ("train", "val", "testA")
"""The splits of SPIQA's Table 2."""


def _spiqa(sources: Mapping[str, Source]) -> Iterator[Count]:
    """Yield the counts of Table 4, and of Table 2 if all of `GENERATED` are among the splits.

    Figure types are those of the reading `released`, which gives Table 4.
    """
    papers: dict[str, list[Paper]] = {}
    missing: dict[str, str] = {}
    for split, source in sources.items():
        printed = _printed("spiqa", "table4", split=split.replace("test", "test-"))
        try:
            papers[split] = spiqa.papers_of(source, split)
        except DataError as error:
            missing[split] = str(error)
            yield from _beside(split, "Table 4", {}, printed, missing[split], is_missing=True)
        else:
            reason = "the release has no figure types in this split"
            yield from _beside(split, "Table 4", _columns(papers[split]), printed, reason)
    if set(GENERATED) <= sources.keys():
        reason = " ".join(missing[split] for split in GENERATED if split in missing)
        together = [paper for split in GENERATED for paper in papers.get(split, ())]
        counted = {} if reason else _of_generated(together)
        yield from _beside("all", "Table 2", counted, _printed("spiqa", "table2"), reason, is_missing=bool(reason))


def _columns(papers: Sequence[Paper]) -> dict[str, float]:
    """Return the columns of Table 4; figure types only if some figure has one."""
    figures = [figure for paper in papers for figure in paper.figures.values()]
    types = Counter(figure.group_released for figure in figures)
    has_types = any(figure.label for figure in figures if not figure.is_table)
    totals: dict[str, float] = {"papers": len(papers), "questions": sum(len(paper.questions) for paper in papers)}
    return totals | {group: types[group] for group in GROUPS if has_types or group == "table"}


def _of_generated(papers: Sequence[Paper]) -> dict[str, float]:
    """Return the numbers of Table 2; words are separated by white space (the paper has no definition)."""
    columns = _columns(papers)
    counted = columns | {"figure": sum(columns.get(group, 0) for group in GROUPS if group != "table")}
    for name in ("question", "answer"):
        words = [len(getattr(question, name).split()) for paper in papers for question in paper.questions]
        counted |= {f"max_{name}_words": max(words), f"mean_{name}_words": fmean(words)}
    return counted


def _mmstar(sources: Mapping[str, Source]) -> Iterator[Count]:
    """Yield the counts of Figures 4 and 5."""
    for split, source in sources.items():
        fourth, fifth = ({} if split == "demo" else _printed("mmstar", name) for name in ("figure4", "figure5"))
        try:
            columns = ("category", "l2_category")
            rows = read_rows(source.files(MMSTAR, mmstar.FILE), columns, optional=(mmstar.META,))
        except DataError as error:
            yield from _beside(split, "Figure 4", {}, fourth, str(error), is_missing=True)
            yield from _beside(split, "Figure 5", {}, fifth, str(error), is_missing=True)
            continue
        origins = _by_name("source", [(row.get(mmstar.META) or {}).get("source", "unknown") for row in rows])
        reason = "the release has the final questions alone"
        yield from _beside(split, "Figure 4", {"questions": len(rows)} | origins, fourth, reason)
        categories = _by_name("category", [row["category"] for row in rows])
        axes = _by_name("subcategory", [row["l2_category"] for row in rows])
        counted = {"categories": len(categories), "subcategories": len(axes)}
        none = dict.fromkeys(fifth, 0)
        yield from _beside(split, "Figure 5", none | counted | categories | axes, fifth)


def _scifibench(sources: Mapping[str, Source]) -> Iterator[Count]:
    """Yield the counts of Table 1 and Figure 3, by release file."""
    tasks = {"Figure2Caption": "figure_to_caption", "Caption2Figure": "caption_to_figure"}
    for split, file in [(name, file) for name in sources for file in scifibench.SPLITS[name]]:
        subset, _, task = file.partition("_")
        statistic = f"questions/{tasks[task]}"
        table = {} if split.startswith("demo") else _printed("scifibench", "table1", subset=subset)
        table = {name: table[name] for name in table if name in (statistic, "pool_pairs", "categories")}
        try:
            rows = read_rows(sources[split].files(SCIFIBENCH, f"data/{file}-*.parquet"), ("Category",))
        except DataError as error:
            yield from _beside(split, "Table 1", {}, table, str(error), is_missing=True)
            continue
        names = [row["Category"] for row in rows]
        # Table 1 counts the archives of arXiv
        archives = {"cs" if name == "other cs" else name.partition(".")[0] for name in names} - {"cross-list"}
        reason = "the release has the questions alone, not the pool of pairs that they are drawn from"
        yield from _beside(split, "Table 1", {statistic: len(names), "categories": len(archives)}, table, reason)
        yield from _beside(split, "Figure 3", _by_name("category", names), {})


DESCRIBE = {"spiqa": _spiqa, "mmstar": _mmstar, "scifibench": _scifibench}
"""Benchmark -> function (split -> its source) that yields its counts."""


def _printed(paper: str, table: str, **keys: str) -> dict[str, float]:
    """Return statistic -> number in the rows of a published table with these keys; NaN if not printed."""
    rows = [row for row in load(paper, table) if all(row[name] == value for name, value in keys.items())]
    return {str(row["statistic"]): float(row["value"] or math.nan) for row in rows}


def _beside(
    split: str,
    place: str,
    counted: Mapping[str, float],
    printed: Mapping[str, float],
    why_not: str = "",
    *,
    is_missing: bool = False,
) -> Iterator[Count]:
    """Yield the counted numbers beside the printed ones; those that are only printed are withheld for a reason."""
    for name in dict.fromkeys([*printed, *counted]):
        value, reason = (counted[name], "") if name in counted else (math.nan, why_not)
        yield Count(split, place, name, value, printed.get(name, math.nan), reason, bool(reason) and is_missing)


def _by_name(prefix: str, names: Sequence[str]) -> dict[str, float]:
    return {f"{prefix}/{name}": often for name, often in sorted(Counter(names).items())}
