"""Counts of the releases beside those that their papers print."""

import io
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.mmstar import release as mmstar
from spiqa_tasks.benchmarks.scifibench import release as scifibench
from spiqa_tasks.benchmarks.scifibench.questions import read_questions
from spiqa_tasks.benchmarks.spiqa import release as spiqa
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import UNREADABLE, encoded
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, SPIQA, Source
from spiqa_tasks.published import load


@dataclass(frozen=True)
class Count:
    """A number that describes a release, in its own unit.

    Attributes:
        split: split of the release, or `all` for several.
        place: table, figure or section of the paper.
        statistic: name of the number.
        value: the number counted; NaN if withheld.
        published: the number printed; NaN if there is none.
        distribution: (value, frequency) pairs, if `value` is their mean.
        why_not: why `value` is withheld, or ''.
        is_missing: whether files are missing or cannot be read.
    """

    split: str
    place: str
    statistic: str
    value: float = math.nan
    published: float = math.nan
    distribution: tuple[tuple[int, int], ...] = ()
    why_not: str = ""
    is_missing: bool = False

    @property
    def difference(self) -> float:
        """Counted minus printed; NaN without one of the two."""
        return self.value - self.published


Tally = dict[str, Counter[Any]]
"""Name of a statistic -> frequencies of its values."""
GENERATED = ("train", "val", "testA")
"""The splits of SPIQA's Table 2."""
DISTRIBUTIONS = {
    "figures_per_paper": "Figure 2",
    "tables_per_paper": "Figure 2",
    "question_words": "Figure D.2",
    "answer_words": "Figure D.2",
    "rationale_words": "Figure D.2",
}
"""Distribution in SPIQA -> the figure that draws it."""


def _spiqa(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield the counts of Tables 2 and 4 and Figures 2 and D.2, by split and for `GENERATED` together.

    Words are separated by white space (the paper has no definition). Figure types are those of the reading `released`,
    which gives Table 4; `..._corrected` are those of the other one.
    """
    tallies: dict[str, Tally] = {}
    missing: dict[str, str] = {}
    for split in splits:
        table = _printed("spiqa", "table4", split=split.replace("test", "test-"))
        try:
            tallies[split] = _tally(source, split)
        except DataError as error:
            missing[split] = str(error)
            yield from _withheld(split, "Table 4", table, missing[split], missing=True)
        else:
            yield from _of_split(split, tallies[split], table)
    if set(GENERATED) <= {*tallies, *missing}:
        yield from _generated(tallies, " ".join(missing[split] for split in GENERATED if split in missing))


def _tally(source: Source, split: str) -> Tally:
    files = spiqa.SPLITS[split]
    tally: Tally = defaultdict(Counter)
    for paper, released in spiqa.each_paper(source.files(SPIQA, files.annotations)[0], files.annotation_format):
        figures = paper.figures.values()
        tables = sum(figure.is_table for figure in figures)
        tally["papers"][""] += 1
        tally["questions"][""] += len(paper.questions)
        tally["labels"][""] += sum(bool(figure.label) for figure in figures if not figure.is_table)
        tally["released"].update(figure.group_released for figure in figures)
        tally["corrected"].update(figure.group for figure in figures)
        tally["figures_per_paper"][len(figures) - tables] += 1
        tally["tables_per_paper"][tables] += 1
        tally["question_words"].update(len(question.question.split()) for question in paper.questions)
        tally["answer_words"].update(len(question.answer.split()) for question in paper.questions)
        rationales = [item.get("explanation") for item in released.get("qa", ())]
        tally["rationale_words"].update(len(str(rationale).split()) for rationale in rationales if rationale)
    return tally


def _of_split(split: str, tally: Tally, table: Mapping[str, float]) -> Iterator[Count]:
    has_labels = tally["labels"][""] > 0
    for statistic, value in _columns(tally).items():
        row = Count(split, "Table 4", statistic, value, table.get(statistic, math.nan))
        if statistic in GROUPS and statistic != "table" and not has_labels:
            row = replace(row, value=math.nan, why_not="the release has no figure types in this split")
        yield row
    for group in GROUPS if has_labels else ():
        yield Count(split, "", f"{group}_corrected", tally["corrected"][group])
    for name, place in DISTRIBUTIONS.items():
        yield _distribution(split, place, name, tally[name])


def _generated(tallies: Mapping[str, Tally], reason: str) -> Iterator[Count]:
    """Yield the counts over `GENERATED`; withheld if there is a reason."""
    tally: Tally = defaultdict(Counter)
    for split in GENERATED:
        for name, frequencies in tallies.get(split, {}).items():
            tally[name].update(frequencies)
    counted = {} if reason else _statistics(tally)
    for table, place in (("table2", "Table 2"), ("figure2", "Figure 2"), ("figureD2", "Figure D.2")):
        for statistic, published in _printed("spiqa", table).items():
            row = Count("all", place, statistic, counted.get(statistic, math.nan), published)
            if statistic.startswith("domain/"):
                yield replace(row, why_not="the release names no conference and no year of publication")
            else:
                yield replace(row, why_not=reason, is_missing=bool(reason))
    for name, place in () if reason else DISTRIBUTIONS.items():
        yield _distribution("all", place, name, tally[name])


def _statistics(tally: Tally) -> dict[str, float]:
    """Return statistic, as the published tables name it -> value; shares in percent."""
    types = sum(tally["released"].values())
    statistics: dict[str, float] = {**_columns(tally), "figure": types - tally["released"]["table"]}
    for name in ("question", "answer", "rationale"):
        words = tally[f"{name}_words"]
        mean = _mean(words)
        statistics[f"max_{name}_words"] = max(words, default=math.nan)
        statistics[f"mean_{name}_words"] = mean
        statistics[f"variance_{name}_words"] = _mean(words, lambda count: count**2) - mean**2
    answers = tally["answer_words"]
    statistics["answers_of_5_words_or_fewer"] = 100 * _mean(answers, lambda count: count <= 5)
    statistics["answers_of_6_to_40_words"] = 100 * _mean(answers, lambda count: 6 <= count <= 40)
    statistics["figures_and_tables_per_paper"] = types / statistics["papers"]
    return statistics


def _columns(tally: Tally) -> dict[str, int]:
    """Return the columns of Table 4."""
    totals = {name: tally[name][""] for name in ("papers", "questions")}
    return totals | {group: tally["released"][group] for group in GROUPS}


def _mmstar(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield the counts of Figures 4 and 5."""
    for split in splits:
        fourth, fifth = ({} if split == "demo" else _printed("mmstar", name) for name in ("figure4", "figure5"))
        try:
            columns = ("category", "l2_category")
            rows = read_rows(source.files(MMSTAR, mmstar.FILE), columns, optional=(mmstar.META,))
        except DataError as error:
            for place, statistics in (("Figure 4", fourth), ("Figure 5", fifth)):
                yield from _withheld(split, place, statistics, str(error), missing=True)
            continue
        questions = fourth.pop("questions", math.nan)
        yield from _withheld(split, "Figure 4", fourth, "the release has the final questions alone", missing=False)
        yield Count(split, "Figure 4", "questions", len(rows), questions)
        sources = [(row.get(mmstar.META) or {}).get("source", "unknown") for row in rows]
        if set(sources) == {"unknown"}:
            why_not = f"this copy of the release has no column {mmstar.META}"
            yield Count(split, "Figure 4", "questions by source", why_not=why_not, is_missing=True)
        else:
            yield from _by_name(split, "Figure 4", "source", sources)
        counted = Counter(f"category/{row['category']}" for row in rows)
        counted |= {"categories": len(counted), "subcategories": len({row["l2_category"] for row in rows})}
        for name in dict.fromkeys([*fifth, *sorted(counted)]):
            yield Count(split, "Figure 5", name, counted[name], fifth.get(name, math.nan))
        yield from _by_name(split, "Figure 5", "subcategory", (row["l2_category"] for row in rows))


def _scifibench(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield the counts of Table 1 and Figures 2 and 3, by release file."""
    tasks = {"Figure2Caption": "figure_to_caption", "Caption2Figure": "caption_to_figure"}
    for split in splits:
        for file in scifibench.SPLITS[split]:
            subset, _, task = file.partition("_")
            statistic = f"questions/{tasks[task]}"
            table = {} if split.startswith("demo") else _printed("scifibench", "table1", subset=subset)
            table = {name: table[name] for name in table if name in (statistic, "pool_pairs", "categories")}
            try:
                yield from _of_file(source, split, file, statistic, table)
            except DataError as error:
                yield from _withheld(split, "Table 1", table, str(error), missing=True)


def _of_file(source: Source, split: str, file: str, statistic: str, table: dict[str, float]) -> Iterator[Count]:
    paths = source.files(SCIFIBENCH, f"data/{file}-*.parquet")
    questions = read_questions(paths, file, "", with_files=False)
    sizes = [_pixels(cell, file) for row in read_rows(paths, ("Images",)) for cell in row["Images"]]
    categories = [question.category for question in questions]
    archives = {
        "cs" if name == "other cs" else name.partition(".")[0] for name in categories
    }  # of arXiv, as in Table 1
    yield Count(split, "Table 1", statistic, len(questions), table.pop(statistic, math.nan))
    yield Count(split, "Table 1", "categories", len(archives - {"cross-list"}), table.pop("categories", math.nan))
    reason = "the release has the questions alone, not the pool of pairs that they are drawn from"
    yield from _withheld(split, "Table 1", table, reason, missing=False)
    captions = Counter(len(question.caption.split()) for question in questions)
    yield _distribution(split, "Figure 2", "caption_words", captions)
    yield Count(split, "Figure 2", "mean_figure_pixels", fmean(sizes) if sizes else math.nan)
    yield from _by_name(split, "Figure 3", "category", categories)


def _pixels(cell: Any, file: str) -> int:
    try:
        with Image.open(io.BytesIO(encoded(cell, file))) as image:
            return image.width * image.height
    except UNREADABLE as error:
        raise DataError(f"Expected pictures in {file} that can be decoded, found {error}. Fetch it again.") from error


DESCRIBE = {"spiqa": _spiqa, "mmstar": _mmstar, "scifibench": _scifibench}
"""Benchmark -> function (source, splits) that yields its counts."""


def _printed(paper: str, table: str, **keys: str) -> dict[str, float]:
    """Return statistic -> number in the rows of a published table with these keys; NaN if not printed."""
    rows = [row for row in load(paper, table) if all(row[name] == value for name, value in keys.items())]
    return {str(row["statistic"]): float(row["value"] or math.nan) for row in rows}


def _withheld(split: str, place: str, statistics: Mapping[str, float], why_not: str, missing: bool) -> Iterator[Count]:
    for statistic, published in statistics.items():
        yield Count(split, place, statistic, math.nan, published, (), why_not, missing)


def _distribution(split: str, place: str, name: str, values: Mapping[int, int]) -> Count:
    why_not = "" if values else "the release has none in this split"
    return Count(split, place, name, _mean(values), distribution=tuple(sorted(values.items())), why_not=why_not)


def _mean(values: Mapping[int, int], of: Callable[[int], float] = float) -> float:
    """Return the mean of a function of values with frequencies, or NaN."""
    total = sum(values.values())
    return sum(of(value) * often for value, often in values.items()) / total if total else math.nan


def _by_name(split: str, place: str, prefix: str, names: Iterable[str]) -> Iterator[Count]:
    for name, count in sorted(Counter(names).items()):
        yield Count(split, place, f"{prefix}/{name}", count)
