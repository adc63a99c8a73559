"""Plots as inline SVG: its text can be searched, its colours are the page's, light or dark."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# (value, low, high) in natural units. low and high are None without an interval; a withheld value
# is None and not drawn.
Point = tuple[float | None, float | None, float | None]
# Label of a run -> name of a row -> the run's value in that row.
Series = Mapping[str, Mapping[str, Point]]

# Markers of matplotlib, one for each colour in page.css.
MARKERS = "osD^vPX*"
# Runs of a plot at most; more are not legible.
SERIES = len(MARKERS)
# Rows of a plot at most; tables have all.
ROWS = 30

# Inches: two plots are side by side on a screen of 1,280 pixels.
WIDTH = 5.6
# Letters of a name at most: longer names would leave no room for the values.
LABEL = 44

# Matplotlib knows no CSS. These colours, which nothing else has, are replaced by variables of
# page.css.
_INK = "#000001"
_GRID = "#000002"
_SERIES = [f"#0001{number:02x}" for number in range(SERIES)]
_VARIABLES = {_INK: "ink", _GRID: "line"} | {
    colour: f"series-{number}" for number, colour in enumerate(_SERIES)
}
_STYLE: dict[str, Any] = {
    # Text, not paths: it can be searched and copied.
    "svg.fonttype": "none",
    # A dollar sign in a model's name begins no formula.
    "text.parse_math": False,
    "font.size": 10,
    "legend.frameon": False,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.edgecolor": _GRID,
    "grid.color": _GRID,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.transparent": True,
}
# Pattern in matplotlib's SVG -> its replacement. Ids and styles of several SVGs in a page would
# clash.
_REPLACEMENTS = {
    r"<metadata>.*?</metadata>": "",
    r"<style.*?</style>": "",
    r'<g id="[^"]*"': "<g",
    r"font-family: [^;\"]*": "font-family: var(--font)",
    r"\s*\n\s*": " ",
} | {f"{colour}\\b": f"var(--{name})" for colour, name in _VARIABLES.items()}


@dataclass(frozen=True)
class Plot:
    """A plot with a row per name, and in it a dot per run: the value x 100 with its interval.

    Attributes:
        names: names of the rows.
        axis: label of the axis of values.
        colours: label of a run -> number of its colour; others have the colour of their position.
        zero: whether to draw a line at 0, for differences.
    """

    title: str
    names: Sequence[str]
    series: Series
    axis: str
    colours: Mapping[str, int]
    zero: bool

    @property
    def description(self) -> str:
        """The plot for screen readers."""
        return f"{self.axis} of {', '.join(self.series)} by {', '.join(self.names)}."

    @cached_property
    def svg(self) -> str:
        """The SVG element; drawn on first use, as only the page needs matplotlib."""
        from matplotlib import rc_context

        # The ids in an SVG are hashes with this salt: they differ between plots, and are the same
        # each time.
        salt = repr((self.title, self.series, self.axis))
        style: Any = {**_STYLE, "svg.hashsalt": salt}
        with rc_context(style):
            return _svg(_figure(self))


def intervals(
    title: str,
    series: Series,
    axis: str,
    colours: Mapping[str, int] | None = None,
    *,
    zero: bool = False,
) -> Plot:
    """Return a plot of at most `SERIES` runs and `ROWS` names; its title says if there are more."""
    names = list(dict.fromkeys(name for points in series.values() for name in points))
    title += _limited(ROWS, len(names), "rows") + _limited(SERIES, len(series), "runs")
    drawn = dict(list(series.items())[:SERIES])
    return Plot(title, names[:ROWS], drawn, axis, colours or {}, zero)


def _limited(most: int, total: int, noun: str) -> str:
    """Return the end of a title that says how many of all a plot shows, or ''."""
    return f" ({most} of {total} {noun}; the tables have all)" if total > most else ""


def _figure(plot: Plot) -> Figure:
    """Draw a row per group, and in it a point with its interval per run."""
    from matplotlib.figure import Figure

    names, series = plot.names, plot.series
    runs_of_row = {name: [label for label in series if name in series[label]] for name in names}
    most_runs = max(map(len, runs_of_row.values()), default=1)
    # Inches: the rows, with a line per run; the axis; the legend.
    height = (0.1 + 0.2 * most_runs) * len(names) + 0.9 + 0.2 * len(series)
    figure = Figure(figsize=(WIDTH, max(1.6, height)), layout="constrained")

    axes = figure.add_subplot()
    for position, (label, points) in enumerate(series.items()):
        number = plot.colours.get(label, position) % SERIES
        _draw_points(axes, label, number, points, runs_of_row)
    _set_axes(axes, plot)
    if len(series) > 1:
        figure.legend(loc="outside upper left", ncols=1, handletextpad=0.4)
    return figure


def _set_axes(axes: Axes, plot: Plot) -> None:
    """Name the rows from top to bottom and the values; mark zero, or begin there."""
    axes.set_yticks(range(len(plot.names)), [_short(name) for name in plot.names])
    axes.set_ylim(len(plot.names) - 0.5, -0.5)
    axes.set_xlabel(plot.axis)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.6)
    if plot.zero:
        axes.axvline(0, color=_INK, linewidth=1)
    else:
        # From 0, so that a score which looks twice as high as another one is.
        axes.set_xlim(left=0)


def _draw_points(
    axes: Axes,
    label: str,
    number: int,
    points: Mapping[str, Point],
    runs_of_row: Mapping[str, Sequence[str]],
) -> None:
    """Draw a run's values in its colour; the runs of a row are one below the other."""
    rows = []
    values = []
    below = []
    above = []
    for row, (name, labels) in enumerate(runs_of_row.items()):
        value, low, high = points.get(name, (None, None, None))
        if value is None:
            continue

        # Lines from the middle of the row, -0.5 and 0.5 for two runs; all take 70% of the row.
        line = labels.index(label) - (len(labels) - 1) / 2
        rows.append(row + 0.7 * line / len(labels))
        values.append(100 * value)
        # Without an interval its ends are the value.
        below.append(100 * max(0.0, value - (value if low is None else low)))
        above.append(100 * max(0.0, (value if high is None else high) - value))

    axes.errorbar(
        values,
        rows,
        xerr=[below, above],
        label=_short(label),
        color=_SERIES[number],
        marker=MARKERS[number],
        markersize=5,
        elinewidth=1.4,
        linestyle="none",
        # A marker at 0 is not cut in half.
        clip_on=False,
    )


def _svg(figure: Figure) -> str:
    """Return the SVG element of a figure, with the page's font and colours."""
    buffer = io.StringIO()
    # Without metadata, which would name the program and the date.
    omitted = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with warnings.catch_warnings():
        # The browser has fonts for letters that matplotlib's lacks, such as Chinese.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(buffer, format="svg", metadata=omitted)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for pattern, replacement in _REPLACEMENTS.items():
        svg = re.sub(pattern, replacement, svg, flags=re.DOTALL)
    return svg


def _short(text: str) -> str:
    """Return a name of at most `LABEL` letters, the middle of a longer one replaced by `…`."""
    return text if len(text) <= LABEL else f"{text[: LABEL // 2]}…{text[-LABEL // 2 :]}"
