"""SPIQA counted: papers, questions, figures by type, words (Tables 2 and 4, Figures 2 and D.2)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spiqa_tasks.benchmarks.description import Count, distributed, mean_of, printed, withheld
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS, Paper
from spiqa_tasks.benchmarks.spiqa.release import SPLITS, each_paper
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import SPIQA, Source

Tally = Counter[tuple[str, Any]]
"""(what, which) -> how many: papers, questions, figure types, numbers of words, numbers of figures per paper."""
_PRINTED = {"testA": "test-A", "testB": "test-B", "testC": "test-C", "val": "val", "train": "train"}
GENERATED = ("train", "val", "testA")
"""The splits that Table 2 is about."""
DISTRIBUTIONS = {
    "figures_per_paper": "Figure 2",
    "tables_per_paper": "Figure 2",
    "question_words": "Figure D.2",
    "answer_words": "Figure D.2",
    "rationale_words": "Figure D.2",
}
"""What is distributed -> the figure that draws it."""
_NO_LABELS = "the release has no figure types in this split"
_NONE = "the release has none in this split"
_NO_SOURCE = "the release names no conference and no year of publication"


def describe(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield what Tables 2 and 4 and Figures 2 and D.2 count, of some splits and of `GENERATED` together.

    Words are what blanks separate (the paper does not say what a word is), figure types those of the reading that gives
    Table 4; `..._corrected` are those that ignore the case of labels. An annotation file is read a paper at a time.
    """
    tallies: dict[str, Tally] = {}
    missing: dict[str, str] = {}
    for split in splits:
        table = printed("spiqa", "table4", split=_PRINTED[split]) if split in _PRINTED else {}
        try:
            tallies[split] = _tally(source, split)
        except DataError as error:
            missing[split] = str(error)
            yield from withheld(split, "Table 4", table, missing[split], missing=True)
        else:
            yield from _split(split, tallies[split], table)
    if set(GENERATED) <= {*tallies, *missing}:
        yield from _whole(tallies, missing)


def _tally(source: Source, split: str) -> Tally:
    files = SPLITS[split]
    found: Tally = Counter()
    for paper, released in each_paper(source.files(SPIQA, files.annotations)[0], files.annotation_format):
        _add(found, paper, released)
    return found


def _add(found: Tally, paper: Paper, released: Mapping[str, Any]) -> None:
    figures = paper.figures.values()
    tables = sum(figure.is_table for figure in figures)
    found["papers", ""] += 1
    found["figures_per_paper", len(figures) - tables] += 1
    found["tables_per_paper", tables] += 1
    found["labels", ""] += sum(bool(figure.label) for figure in figures if not figure.is_table)
    found.update(("released", figure.group_released) for figure in figures)
    found.update(("corrected", figure.group) for figure in figures)
    for question in paper.questions:
        found["questions", ""] += 1
        found["question_words", len(question.question.split())] += 1
        found["answer_words", len(question.answer.split())] += 1
    for item in released.get("qa", ()):
        if item.get("explanation"):
            found["rationale_words", len(str(item["explanation"]).split())] += 1


def _split(split: str, tally: Tally, table: Mapping[str, float]) -> Iterator[Count]:
    """The rows of Table 4 for a split, then what no table has."""
    counted = {"papers": tally["papers", ""], "questions": tally["questions", ""], **_types(tally)}
    for statistic, value in counted.items():
        row = Count(split, "Table 4", statistic, value, table.get(statistic, math.nan))
        unlabelled = statistic in GROUPS and statistic != "table" and not tally["labels", ""]
        yield replace(row, value=math.nan, why_not=_NO_LABELS) if unlabelled else row
    if tally["labels", ""]:
        for group in GROUPS:
            yield Count(split, "", f"{group}_corrected", tally["corrected", group])
    for name, place in DISTRIBUTIONS.items():
        yield _distribution(split, place, name, tally)


def _whole(tallies: Mapping[str, Tally], missing: Mapping[str, str]) -> Iterator[Count]:
    """The numbers of Table 2 and of the figures, over the splits that Gemini's questions are in."""
    reason = " ".join(missing[split] for split in GENERATED if split in missing)
    tally: Tally = Counter()
    for split in GENERATED:
        tally.update(tallies.get(split, {}))
    counted = {} if reason else _statistics(tally)
    for table, place in (("table2", "Table 2"), ("figure2", "Figure 2"), ("figureD2", "Figure D.2")):
        for statistic, published in printed("spiqa", table).items():
            row = Count("all", place, statistic, counted.get(statistic, math.nan), published)
            if statistic.startswith("domain/"):
                row = replace(row, why_not=_NO_SOURCE)
            yield replace(row, why_not=reason, is_missing=True) if reason and not row.why_not else row
    for name, place in () if reason else DISTRIBUTIONS.items():
        yield _distribution("all", place, name, tally)


def _distribution(split: str, place: str, name: str, tally: Tally) -> Count:
    values = _values(tally, name)
    row = Count(split, place, name)
    return distributed(row, values) if values else replace(row, why_not=_NONE)


def _statistics(tally: Tally) -> dict[str, float]:
    """Statistic, as the published tables call it, -> its value; shares in percent."""
    types = _types(tally)
    found: dict[str, float] = {"papers": tally["papers", ""], "questions": tally["questions", ""], **types}
    found["figure"] = sum(types.values()) - types["table"]
    for name in ("question", "answer", "rationale"):
        values = _values(tally, f"{name}_words")
        found[f"max_{name}_words"] = max(values, default=math.nan)
        found[f"mean_{name}_words"] = mean = mean_of(values)
        found[f"variance_{name}_words"] = mean_of(values, lambda words: words**2) - mean**2
    answers = _values(tally, "answer_words")
    found["answers_of_5_words_or_fewer"] = 100 * mean_of(answers, lambda words: words <= 5)
    found["answers_of_6_to_40_words"] = 100 * mean_of(answers, lambda words: 6 <= words <= 40)
    found["figures_and_tables_per_paper"] = sum(types.values()) / found["papers"]
    return found


def _types(tally: Tally) -> dict[str, int]:
    return {group: tally["released", group] for group in GROUPS}


def _values(tally: Tally, name: str) -> dict[int, int]:
    return {value: often for (what, value), often in tally.items() if what == name}
