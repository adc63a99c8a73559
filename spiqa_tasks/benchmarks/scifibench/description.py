"""SciFIBench counted: questions of each subset, categories, captions and figures (Table 1, Figures 2 and 3)."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from statistics import fmean
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.description import Count, by_name, distributed, printed, withheld
from spiqa_tasks.benchmarks.scifibench.questions import read_questions
from spiqa_tasks.benchmarks.scifibench.release import SPLITS
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import UNREADABLE, encoded
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import SCIFIBENCH, Source

_TASKS = {"Figure2Caption": "figure_to_caption", "Caption2Figure": "caption_to_figure"}
_POOL = "the release has the questions alone, not the pool of pairs that they are drawn from"
_CROSS_LISTED = "cross-list"
_OF_SUBSET = ("pool_pairs", "categories")


def describe(source: Source, splits: Collection[str]) -> Iterator[Count]:
    """Yield what Table 1 and Figures 2 and 3 count, of each release file that a split is made of.

    `categories` are archives of arXiv, as in Table 1: the categories of computer science are one.
    """
    for split in splits:
        for name in SPLITS[split]:
            subset, _, task = name.partition("_")
            table = {} if split.startswith("demo") else printed("scifibench", "table1", subset=subset)
            table = {key: value for key, value in table.items() if key in (f"questions/{_TASKS[task]}", *_OF_SUBSET)}
            try:
                yield from _file(source, split, name, table)
            except DataError as error:
                yield from withheld(split, "Table 1", table, str(error), missing=True)


def _file(source: Source, split: str, name: str, table: Mapping[str, float]) -> Iterator[Count]:
    paths = source.files(SCIFIBENCH, f"data/{name}-*.parquet")
    questions = read_questions(paths, name, "", with_files=False)
    sizes = [_pixels(cell, name) for row in read_rows(paths, ("Images",)) for cell in row["Images"]]
    statistic = f"questions/{_TASKS[name.partition('_')[2]]}"
    categories = [question.category for question in questions]
    archives = {"cs" if each == "other cs" else each.partition(".")[0] for each in categories}
    yield Count(split, "Table 1", statistic, len(questions), table.get(statistic, math.nan))
    yield Count(split, "Table 1", "categories", len(archives - {_CROSS_LISTED}), table.get("categories", math.nan))
    if "pool_pairs" in table:
        yield from withheld(split, "Table 1", {"pool_pairs": table["pool_pairs"]}, _POOL, missing=False)
    captions = Counter(len(question.caption.split()) for question in questions)
    yield distributed(Count(split, "Figure 2", "caption_words"), captions)
    yield Count(split, "Figure 2", "mean_figure_pixels", fmean(sizes) if sizes else math.nan)
    yield from by_name(split, "Figure 3", "category", categories)


def _pixels(cell: Any, name: str) -> int:
    """The area of a picture, of which only the head is read."""
    try:
        with Image.open(io.BytesIO(encoded(cell, name))) as image:
            return image.width * image.height
    except UNREADABLE as error:
        raise DataError(f"Expected pictures in {name} that can be decoded, found {error}. Fetch it again.") from error
