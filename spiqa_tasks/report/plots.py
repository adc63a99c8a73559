"""Plots as data for the page's template: rows of dots on an axis, which page.css places."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

# (value, low, high) in natural units. low and high are None without an interval.
Point = tuple[float, float | None, float | None]
# Label of a run -> name of a row -> the run's value in that row.
Series = Mapping[str, Mapping[str, Point]]

# Runs of a plot at most: page.css has a colour and a marker for each.
SERIES = 8
# Rows of a plot at most; tables have all.
ROWS = 30

# Distances between two ticks of an axis, of values x 100; the last one is for CIDEr, up to 1000.
STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
# Distances on an axis at most: more labels would touch on a phone.
DISTANCES = 6


class Dot(NamedTuple):
    """A run's value and the ends of its interval, x 100, and its colour."""

    colour: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Plot:
    """A plot with a row per name, and in it a dot per run: the value x 100 with its interval.

    Attributes:
        names: names of the rows.
        axis: label of the axis of values.
        colours: label of a run -> number of its colour.
    """

    title: str
    names: Sequence[str]
    series: Series
    axis: str
    colours: Mapping[str, int]

    @cached_property
    def ticks(self) -> list[float]:
        """The ticks of the axis from end to end, x 100.

        0 is among them: a score that looks twice as high as another one is.
        """
        numbers = [0.0]
        for _, dots in self.rows:
            for dot in dots:
                numbers += dot[1:]

        span = max(numbers) - min(numbers)
        step = next((step for step in STEPS if span <= DISTANCES * step), STEPS[-1])
        first = math.floor(min(numbers) / step)
        last = max(math.ceil(max(numbers) / step), first + 1)
        return [round(number * step, 1) for number in range(first, last + 1)]

    @property
    def rows(self) -> Iterator[tuple[str, list[Dot]]]:
        """Each name with the dots of its runs."""
        for name in self.names:
            dots = []
            for label, points in self.series.items():
                if name in points:
                    point = points[name]
                    # Without an interval its ends are the value.
                    numbers = [100 * (point[0] if end is None else end) for end in point]
                    dots.append(Dot(self.colours[label], *numbers))
            yield name, dots


def intervals(title: str, series: Series, axis: str) -> Plot:
    """Return a plot of at most `SERIES` runs and `ROWS` names; its title says if there are more.

    The colour of a run is that of its position. A run without a point in the rows has no label.
    """
    names = list(dict.fromkeys(name for points in series.values() for name in points))
    title += _limited(ROWS, len(names), "rows")
    names = names[:ROWS]

    labels = [label for label, points in series.items() if points.keys() & set(names)]
    title += _limited(SERIES, len(labels), "runs")
    drawn = {label: series[label] for label in labels[:SERIES]}

    colours = {label: number % SERIES for number, label in enumerate(series)}
    return Plot(title, names, drawn, axis, colours)


def _limited(most: int, total: int, noun: str) -> str:
    """Return the end of a title that says how many of all a plot shows, or ''."""
    return f" ({most} of {total} {noun}; the tables have all)" if total > most else ""
