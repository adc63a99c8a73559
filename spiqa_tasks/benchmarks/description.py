"""Counts of the releases, under the names that the published tables have for them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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

# End of a release file's name -> the direction as Table 1 calls it.
_DIRECTIONS = {"Figure2Caption": "figure_to_caption", "Caption2Figure": "caption_to_figure"}


def _spiqa_table4(source: Source, split: str) -> Counts:
    """Return the counts of SPIQA's Table 4: questions, papers, figures by type."""
    return _columns(papers_of(source, split))


def _columns(papers: Sequence[Paper]) -> Counts:
    """Return the columns of Table 4, by the reading `released`."""
    figures = [figure for paper in papers for figure in paper.figures.values()]
    types = Counter(figure.type_released for figure in figures)
    counts: Counts = {
        "papers": len(papers),
        "questions": sum(len(paper.questions) for paper in papers),
        "table": types["table"],
    }
    # A copy of test-C without labels has no types, and its figures are not all "other".
    if any(figure.label for figure in figures if not figure.is_table):
        counts |= {group: types[group] for group in GROUPS}
    return counts


def _spiqa_table2(source: Source, _split: str) -> Counts:
    """Words are separated by white space (the paper has no definition)."""
    papers = []
    for split in GENERATED:
        papers += papers_of(source, split)
    questions = [question for paper in papers for question in paper.questions]

    counts = _columns(papers)
    counts["figure"] = sum(counts.get(group, 0) for group in GROUPS if group != "table")
    for name in ("question", "answer"):
        words = [len(getattr(question, name).split()) for question in questions]
        counts |= {f"max_{name}_words": max(words), f"mean_{name}_words": fmean(words)}
    return counts


def _mmstar_figure4(source: Source, _split: str) -> Counts:
    """Return the counts of MMStar's Figure 4: questions, also by source benchmark."""
    rows = read_rows(source.files(MMSTAR, mmstar.FILE), ("index",), optional=(mmstar.META,))
    origins = [(row.get(mmstar.META) or {}).get("source", "unknown") for row in rows]
    return {"questions": len(rows)} | _by_name("source", origins)


def _mmstar_figure5(source: Source, _split: str) -> Counts:
    """Return the questions of each core capability and of each of its axes (MMStar, Figure 5)."""
    rows = read_rows(source.files(MMSTAR, mmstar.FILE), ("category", "l2_category"))
    categories = _by_name("category", [row["category"] for row in rows])
    axes = _by_name("subcategory", [row["l2_category"] for row in rows])
    return {"categories": len(categories), "subcategories": len(axes)} | categories | axes


def _scifibench_table1(source: Source, split: str) -> Counts:
    """Return the number of questions of each direction and of archives (SciFIBench, Table 1)."""
    counts: Counts = {}
    archives: set[str] = set()
    for file in scifibench.SPLITS[split]:
        categories = _categories(source, file)
        counts[f"questions/{_DIRECTIONS[file.partition('_')[2]]}"] = len(categories)
        for name in categories:
            archives.add("cs" if name == "other cs" else name.partition(".")[0])
    # The paper counts archives of arXiv; a paper in several of them is in none.
    return counts | {"categories": len(archives - {"cross-list"})}


def _scifibench_figure3(source: Source, split: str) -> Counts:
    """Return the questions of each category (SciFIBench, Figure 3)."""
    categories = []
    for file in scifibench.SPLITS[split]:
        categories += _categories(source, file)
    return _by_name("category", categories)


def _categories(source: Source, file: str) -> list[str]:
    """Return the category of each question of a release file."""
    paths = source.files(SCIFIBENCH, f"data/{file}-*.parquet")
    return [row["Category"] for row in read_rows(paths, ("Category",))]


def _by_name(prefix: str, names: Sequence[str]) -> Counts:
    """Return how often each name occurs: `{'source/MMMU': 2}`."""
    return {f"{prefix}/{name}": count for name, count in sorted(Counter(names).items())}


# (Paper, table or figure) -> function (source, split) that counts; it raises DataError for missing
# files.
COUNTED: Mapping[tuple[str, str], Callable[[Source, str], Counts]] = {
    ("spiqa", "table2"): _spiqa_table2,
    ("spiqa", "table4"): _spiqa_table4,
    ("mmstar", "figure4"): _mmstar_figure4,
    ("mmstar", "figure5"): _mmstar_figure5,
    ("scifibench", "table1"): _scifibench_table1,
    ("scifibench", "figure3"): _scifibench_figure3,
}


def printed(paper: str, key: str, split: str) -> Counts:
    """Return the printed numbers of a split of the release; {} if there are none."""
    # `published/` has no numbers of SciFIBench's Figure 3.
    if split.startswith("demo") or key == "figure3":
        return {}
    names = {
        "split": split.replace("test", "test-"),
        "subset": "CS" if split.startswith("cs") else "General",
    }
    counts: Counts = {}
    for row in load(paper, key):
        # A table has a column of splits, of subsets, or neither.
        is_of_split = all(row.get(column, value) == value for column, value in names.items())
        if is_of_split and row["value"] is not None:
            counts[str(row["statistic"])] = float(row["value"])
    return counts
