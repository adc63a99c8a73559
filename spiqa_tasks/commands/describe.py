"""`describe`: the data of a benchmark counted again, beside what its paper prints."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Iterable, Iterator

from spiqa_tasks.benchmarks.description import Count
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import default_source, demo_source
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.report.printer import Column, Columns, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("names", nargs="*", metavar="TASK|BENCHMARK", help="default: the three benchmarks, every split")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each number; 3 where some are withheld because their files are not there or cannot be read."""
    with said_if_slow("counting the data"):
        found = [(name, count) for name, splits in _splits(arguments.names) for count in _counted(name, splits)]
    records = [
        {"benchmark": name, **dataclasses.asdict(count), "difference": count.difference} for name, count in found
    ]
    numbers = [Column("value", "counted", _number), Column("published", show=_number)]
    labels: Columns = ["benchmark", "split", Column("place", "in"), "statistic"]
    print(render(arguments.format, Table(records, labels, [*numbers, Column("difference", show=_difference)])))
    reasons: dict[str, dict[str, None]] = {}
    for name, count in found:
        if count.why_not:
            reasons.setdefault(count.why_not, {})[f"{name} {count.split} ({count.place})"] = None
    say(*(f"Withheld of {', '.join(places)}: {reason}" for reason, places in reasons.items()))
    return 3 if any(count.is_missing for _, count in found) else 0


def _splits(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Benchmark -> its splits that are named, of a benchmark all that its paper is about."""
    found: dict[str, dict[str, None]] = {}
    for name in list(names) or [each.name for each in BENCHMARKS.values() if each.describe is not None]:
        if name in BENCHMARKS:
            splits = [split for split in BENCHMARKS[name].splits if not split.startswith("demo")]
            pairs = [(name, split) for split in splits if split != "captioning"]
        else:
            pairs = [(task.benchmark, task.split) for task in find_tasks([name])]
        for benchmark, split in pairs:
            found.setdefault(benchmark, {})[split] = None
    return [(benchmark, list(splits)) for benchmark, splits in found.items()]


def _counted(name: str, splits: list[str]) -> Iterator[Count]:
    describe = BENCHMARKS[name].describe
    if describe is None:
        known = ", ".join(each.name for each in BENCHMARKS.values() if each.describe is not None)
        raise InputError(f"Expected a benchmark whose paper counts its data ({known}), found {name}. Name one of them.")
    shipped = [split for split in splits if split.startswith("demo")]
    if shipped:
        yield from describe(demo_source(), shipped)
    if len(shipped) < len(splits):
        yield from describe(default_source(fetches=False), [split for split in splits if split not in shipped])


def _number(value: float, sign: str = "") -> str:
    return "-" if math.isnan(value) else f"{value:{sign},.{0 if value == round(value) else 2}f}"


def _difference(value: float) -> str:
    """Return a difference with its sign; '' for one that is 0 to two decimals, as the papers print."""
    return "" if math.isnan(value) or abs(value) < 0.005 else _number(value, "+")
