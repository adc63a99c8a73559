"""MMStar counted: questions, core capabilities and their axes, source benchmarks (Figures 4 and 5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator

from spiqa_tasks.benchmarks.description import Count, by_name, printed, withheld
from spiqa_tasks.benchmarks.mmstar.release import FILE
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import MMSTAR, Source

_CANDIDATES = "the release has the final questions alone"


def describe(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield what Figures 4 and 5 count; the release names the source benchmark of each question."""
    for split in splits:
        fourth, fifth = ({} if split == "demo" else printed("mmstar", name) for name in ("figure4", "figure5"))
        try:
            rows = read_rows(source.files(MMSTAR, FILE), ("category", "l2_category"))
        except DataError as error:
            for place, statistics in (("Figure 4", fourth), ("Figure 5", fifth)):
                yield from withheld(split, place, statistics, str(error), missing=True)
            continue
        candidates = {name: value for name, value in fourth.items() if name != "questions"}
        yield from withheld(split, "Figure 4", candidates, _CANDIDATES, missing=False)
        yield Count(split, "Figure 4", "questions", len(rows), fourth.get("questions", math.nan))
        yield from _sources(source, split)
        found = Counter(f"category/{row['category']}" for row in rows)
        found |= {"categories": len(found), "subcategories": len({row["l2_category"] for row in rows})}
        for name in dict.fromkeys([*fifth, *sorted(found)]):
            yield Count(split, "Figure 5", name, found[name], fifth.get(name, math.nan))
        yield from by_name(split, "Figure 5", "subcategory", (row["l2_category"] for row in rows))


def _sources(source: Source, split: str) -> Iterator[Count]:
    try:
        rows = read_rows(source.files(MMSTAR, FILE), ("meta_info",))
    except DataError as error:
        yield Count(split, "Figure 4", "questions by source", why_not=str(error), is_missing=True)
    else:
        names = (str((row["meta_info"] or {}).get("source", "unknown")) for row in rows)
        yield from by_name(split, "Figure 4", "source", names)
