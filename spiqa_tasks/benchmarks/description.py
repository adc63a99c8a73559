"""Counts of the releases, under the names that the published tables have for them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from spiqa_tasks.benchmarks.mmstar import release as mmstar
from spiqa_tasks.benchmarks.scifibench import release as scifibench
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS, Paper
from spiqa_tasks.benchmarks.spiqa.release import papers_of
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, Source
from spiqa_tasks.published import load

# In place of a split: the three of `GENERATED`.
ALL = "all"

# The splits of SPIQA's Table 2.
GENERATED = ("train", "val", "testA")

# Statistic -> number, in its own unit.
Counts = dict[str, float]
_TASKS = {"Figure2Caption": "figure_to_caption", "Caption2Figure": "caption_to_figure"}


def _columns(papers: Sequence[Paper]) -> Counts:
    """Return the columns of Table 4, by the reading `released`.

    Figure types only if some figure has one.
    """
    figures = [figure for paper in papers for figure in paper.figures.values()]
    types = Counter(figure.type_released for figure in figures)
    has_types = any(figure.label for figure in figures if not figure.is_table)
    totals: Counts = {
        "papers": len(papers),
        "questions": sum(len(paper.questions) for paper in papers),
    }
    return totals | {group: types[group] for group in GROUPS if has_types or group == "table"}


def _spiqa_table2(source: Source, _split: str) -> Counts:
    """Words are separated by white space (the paper has no definition)."""
    papers = [paper for split in GENERATED for paper in papers_of(source, split)]
    counts = _columns(papers)
    counts["figure"] = sum(counts.get(group, 0) for group in GROUPS if group != "table")
    for name in ("question", "answer"):
        words = [
            len(getattr(question, name).split()) for paper in papers for question in paper.questions
        ]
        counts |= {f"max_{name}_words": max(words), f"mean_{name}_words": fmean(words)}
    return counts


def _mmstar_figure4(source: Source, _split: str) -> Counts:
    rows = read_rows(source.files(MMSTAR, mmstar.FILE), ("index",), optional=(mmstar.META,))
    origins = ((row.get(mmstar.META) or {}).get("source", "unknown") for row in rows)
    return {"questions": len(rows)} | _by_name("source", origins)


def _mmstar_figure5(source: Source, _split: str) -> Counts:
    rows = read_rows(source.files(MMSTAR, mmstar.FILE), ("category", "l2_category"))
    categories = _by_name("category", (row["category"] for row in rows))
    axes = _by_name("subcategory", (row["l2_category"] for row in rows))
    return {"categories": len(categories), "subcategories": len(axes)} | categories | axes


def _scifibench_table1(source: Source, split: str) -> Counts:
    counts: Counts = {}
    archives: set[str] = set()  # of arXiv
    for file, categories in _categories(source, split).items():
        counts[f"questions/{_TASKS[file.partition('_')[2]]}"] = len(categories)
        archives |= {"cs" if name == "other cs" else name.partition(".")[0] for name in categories}
    return counts | {"categories": len(archives - {"cross-list"})}


def _categories(source: Source, split: str) -> dict[str, list[str]]:
    paths = {
        file: source.files(SCIFIBENCH, f"data/{file}-*.parquet")
        for file in scifibench.SPLITS[split]
    }
    return {
        file: [row["Category"] for row in read_rows(each, ("Category",))]
        for file, each in paths.items()
    }


# (Paper, table or figure) -> function (source, split) that counts; it raises DataError for missing
# files.
COUNTED: Mapping[tuple[str, str], Callable[[Source, str], Counts]] = {
    ("spiqa", "table2"): _spiqa_table2,
    ("spiqa", "table4"): lambda source, split: _columns(papers_of(source, split)),
    ("mmstar", "figure4"): _mmstar_figure4,
    ("mmstar", "figure5"): _mmstar_figure5,
    ("scifibench", "table1"): _scifibench_table1,
    ("scifibench", "figure3"): lambda source, split: _by_name(
        "category", (name for names in _categories(source, split).values() for name in names)
    ),
}


def printed(paper: str, key: str, split: str) -> Counts:
    """Return the printed numbers of a split of the release; {} if there are none."""
    if split.startswith("demo") or key == "figure3":
        return {}
    names = {
        "split": split.replace("test", "test-"),
        "subset": "CS" if split.startswith("cs") else "General",
    }
    rows = [
        row
        for row in load(paper, key)
        if all(row.get(name, value) == value for name, value in names.items())
    ]
    return {str(row["statistic"]): float(row["value"]) for row in rows if row["value"] is not None}


def _by_name(prefix: str, names: Iterable[str]) -> Counts:
    return {f"{prefix}/{name}": often for name, often in sorted(Counter(names).items())}
