"""Counts of a benchmark's release as its paper prints them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from spiqa_tasks.benchmarks.description import DESCRIBE, Count
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import default_source, demo_source
from spiqa_tasks.hosts.catalogue import find_tasks


def counts(paper: str, place: str, tasks: Sequence[str] = ()) -> list[Count]:
    """Return the counts of one table or figure.

    Args:
        paper: the benchmark.
        place: such as `Table 4`; counts that no table prints stand with those of SPIQA's Table 4, whose types they are.
        tasks: count only the splits of these (default: every split that the paper is about).

    Raises:
        InputError: tasks of another benchmark, or that the table does not count.
        DataError: the data is not there.
    """
    places = (place, "") if (paper, place) == ("spiqa", "Table 4") else (place,)
    every = list(_of_splits(paper, _splits(paper, tasks)))
    found = [count for count in every if count.place in places]
    if not found and (reason := next((count.why_not for count in every if count.why_not), "")):
        raise DataError(reason)
    if not found:
        raise InputError(f"Expected splits that {place} counts, found {', '.join(tasks)}. Leave out --task.")
    return found


def _splits(paper: str, tasks: Sequence[str]) -> list[str]:
    if not tasks:  # the figures to be captioned are those of the other splits
        return [split for split in BENCHMARKS[paper].splits if split != "captioning" and not split.startswith("demo")]
    named = find_tasks(tasks)
    others = [task.name for task in named if task.benchmark != paper]
    if others:
        raise InputError(f"Expected tasks of {paper}, whose paper counts its data; found {others[0]}. Correct --task.")
    return list(dict.fromkeys(task.split for task in named))


def _of_splits(paper: str, splits: Collection[str]) -> Iterator[Count]:
    describe = DESCRIBE[paper]
    shipped = [split for split in splits if split.startswith("demo")]
    if shipped:
        yield from describe(demo_source(), shipped)
    if len(shipped) < len(splits):
        yield from describe(default_source(fetches=False), [split for split in splits if split not in shipped])
