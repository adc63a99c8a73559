"""What the measurements share: paired runs, medians with spread, fresh processes, a section's
Markdown.
"""

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
"""The release files that the tests look for too; a measurement that finds none makes its own, or
says so.
"""

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
    """Return what each way measures, taken in turns, so that what else the machine does falls on
    all of them.
    """
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, measure in ways.items():
            found[name].append(measure())
    return found


def spread(values: Sequence[float], unit: str = "s") -> str:
    """Return the median with the smallest and the largest value."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.3g} {unit} ({low:.3g} to {high:.3g})"


def ratio(values: Sequence[float], others: Sequence[float]) -> str:
    """Return the ratio of the medians, with the smallest and the largest ratio of a pair of
    runs.
    """
    pairs = [value / other for value, other in zip(values, others, strict=True)]
    return (
        f"{statistics.median(values) / statistics.median(others):.3g} ({min(pairs):.3g} to"
        f" {max(pairs):.3g})"
    )


def growth(what: str, base: int, measure: Callable[[int], float], runs: int) -> str:
    """Return a table of the seconds for 1, 10 and 100 times as many; each size is measured in
    turns.
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
    """Print a section: what is compared, the tables and remarks, and the machine."""
    print(
        "\n\n".join((f"## {title}", about, *(part for part in parts if part), machine())),
        flush=True,
    )


def machine() -> str:
    """Return the machine, and how evenly it works: the spread of a fixed piece of work, relative
    to its median.
    """
    times = [timed(lambda: sum(range(2_000_000))) for _ in range(15)]
    middle = statistics.median(times)
    return (
        f"*{os.cpu_count()} cores, Python {platform.python_version()}, {datetime.date.today()}; the"
        f" same loop took between {min(times) / middle:.2f} and {max(times) / middle:.2f} times its"
        " median.*"
    )
