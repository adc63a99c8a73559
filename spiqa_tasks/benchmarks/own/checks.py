"""What is odd about rows that can be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spiqa_tasks.benchmarks.own.definition import Definition
from spiqa_tasks.benchmarks.own.prompts import MARKER, are_placed
from spiqa_tasks.benchmarks.own.rows import Row
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import check_pictures
from spiqa_tasks.printable import counted

FIRST = 5
"""How many ids a sentence names."""
SKEWED = 4.0
"""Standard errors by which a letter may be answered more often than by chance."""


def oddities(definition: Definition, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each thing that may be a fault of the data."""
    same = [row for row in rows if len({text.casefold() for text in row["options"]}) < len(row["options"])]
    yield from _of(same, "has two options with the same text", "have two options with the same text")
    texts = [(row, [row["question"], *row["options"]]) for row in rows]
    marked = [row for row, each in texts if any(map(MARKER.search, each)) and not are_placed(each, len(row["images"]))]
    yield from _of(marked, "names a picture that it does not have", "name pictures that they do not have")
    if definition.columns.images:
        blind = [row for row in rows if not row["images"]]
        yield from _of(blind, "has no picture", "have no picture")
    asked = Counter((row["question"], *row["options"], *row["images"]) for row in rows)
    twice = [row for row in rows if asked[(row["question"], *row["options"], *row["images"])] > 1]
    yield from _of(twice, "is asked more than once", "are asked more than once, with the same options and pictures")
    yield from _skew(rows)
    try:
        check_pictures([path for row in rows for path in row["images"]])
    except DataError as error:
        yield str(error)


def _of(rows: Sequence[Row], one: str, many: str) -> Iterator[str]:
    if rows:
        ids = ", ".join(row["id"] for row in rows[:FIRST])
        yield f"{counted(len(rows), f'question {one}', f'questions {many}')}, the first: {ids}."


def _skew(rows: Sequence[Row]) -> Iterator[str]:
    """The letter that is right more often than by chance, which a model that always answers with it profits from."""
    choices = [row for row in rows if row["letters"]]
    for letter, count in Counter(row["answer"] for row in choices).most_common(1):
        chances = [1 / len(row["letters"]) if letter in row["letters"] else 0.0 for row in choices]
        expected, spread = sum(chances), sum(chance * (1 - chance) for chance in chances) ** 0.5
        if count > expected + SKEWED * spread:
            yield (
                f"{letter} is right in {count / len(choices):.0%} of {counted(len(choices), 'choice')}, where "
                f"{expected / len(choices):.0%} would be by chance: who always answers {letter} gets as much. "
                "Shuffle the options."
            )
