"""Tools of all measurements: runs in turns, medians with their spread, a section in Markdown."""

import argparse
import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[1]
REAL_DATA = Path(os.environ.get("SPIQA_TASKS_TEST_DATA", ROOT.parent / "shared" / "data"))
"""Folder of real answers and annotation files, as for the tests."""

# Sizes of a table of growth, as multiples of the smallest.
GROWTH = (1, 10, 100)


def arguments(about: str | None, **defaults: float) -> argparse.Namespace:
    """Parse the command line: one option for each number, with its default."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in defaults.items():
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help="default: %(default)s"
        )
    return parser.parse_args()


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def paired(ways: Mapping[str, Callable[[], float]], runs: int) -> dict[str, list[float]]:
    """Return name -> `runs` results of each function, called in turns: other work of the machine
    slows all of them.
    """
    results: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, measure in ways.items():
            results[name].append(measure())
    return results


def spread(values: Sequence[float], unit: str = "s") -> str:
    """Return the median with the smallest and the largest value."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.3g} {unit} ({low:.3g} to {high:.3g})"


def ratio(values: Sequence[float], others: Sequence[float]) -> str:
    """Return the ratio of the medians, with the lowest and the highest ratio of two paired runs."""
    pairs = [value / other for value, other in zip(values, others, strict=True)]
    return (
        f"{statistics.median(values) / statistics.median(others):.3g} ({min(pairs):.3g} to"
        f" {max(pairs):.3g})"
    )


def growth(what: str, base: int, measure: Callable[[int], float], runs: int) -> str:
    """Return a table of the seconds that `measure` returns for `base`, 10 and 100 times `base`.

    `what` is the heading of the sizes, such as `answers`.
    """
    sizes = {f"{base * factor:,}": base * factor for factor in GROWTH}
    found = paired({name: partial(measure, size) for name, size in sizes.items()}, runs)
    first = next(iter(found.values()))
    rows = [
        [name, f"{factor}x", spread(seconds), ratio(seconds, first)]
        for factor, (name, seconds) in zip(GROWTH, found.items(), strict=True)
    ]
    return table([what, "size", "time", "time, as a ratio to 1x"], rows)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    return tabulate(
        [list(map(str, row)) for row in rows], headers, tablefmt="github", disable_numparse=True
    )


def show(title: str, about: str, *parts: str) -> None:
    """Print a section: its title, what is compared, tables and remarks, the machine."""
    print(
        "\n\n".join((f"## {title}", about, *(part for part in parts if part), machine())),
        flush=True,
    )


def machine() -> str:
    """Return the sentence on the machine, and the spread of the time of a loop relative to its
    median.
    """
    times = [timed(lambda: sum(range(2_000_000))) for _ in range(15)]
    middle = statistics.median(times)
    return (
        f"*{os.cpu_count()} cores, Python {platform.python_version()}, {datetime.date.today()}; the"
        f" same loop took between {min(times) / middle:.2f} and {max(times) / middle:.2f} times its"
        " median.*"
    )
