"""Plots as inline SVG: text stays text, colours are CSS variables of the page, light or dark."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# (value, low, high) in natural units; None without an interval, and for a value that is not drawn.
Point = tuple[float | None, float | None, float | None]
# Label of a run -> name on the axis -> its value.
Series = Mapping[str, Mapping[str, Point]]

# One for each colour of page.css: a plot has at most so many series, more are not legible.
MARKERS = "osD^vPX*"
SERIES = len(MARKERS)
# Rows of a plot at most; its title says how many there are, and the tables have all.
ROWS = 30

# Inches: two plots stand side by side on a screen of 1,280 pixels.
WIDTH = 5.6
# Letters of a name: longer ones would leave no room for the values.
LABEL = 44

# Matplotlib knows no CSS: each colour stands for a variable of page.css.
_INK, _GRID = "#000001", "#000002"
_SERIES = [f"#0001{number:02x}" for number in range(SERIES)]
_VARIABLES = {_INK: "ink", _GRID: "line"} | {
    colour: f"series-{number}" for number, colour in enumerate(_SERIES)
}
_STYLE: dict[str, Any] = {
    # Text stays text, which can be found and copied.
    "svg.fonttype": "none",
    # Names of models may hold dollar signs.
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
# Pattern of matplotlib's SVG -> replacement: ids and styles would clash with those of the page's
# other SVGs.
_PAGE = {
    r"<metadata>.*?</metadata>": "",
    r"<style.*?</style>": "",
    r'<g id="[^"]*"': "<g",
    r"font-family: [^;\"]*": "font-family: var(--font)",
    r"\s*\n\s*": " ",
} | {f"{colour}\\b": f"var(--{name})" for colour, name in _VARIABLES.items()}


@dataclass(frozen=True)
class Plot:
    """Values x 100 by name with their intervals, a dot per run and name.

    Attributes:
        names: rows of the plot.
        axis: what the values are.
        colours: the colour's number of runs that keep it in every plot.
        zero: whether to draw the line of no difference.
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
        """The SVG element. Only the page draws it: tables in other forms need no matplotlib."""
        from matplotlib import rc_context

        # The salt makes the ids of one plot other than those of another, and the same each time.
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
    """Return the plot of some runs; of more than `SERIES` runs and `ROWS` names the first are
    drawn, and the title says so.
    """
    names = list(dict.fromkeys(name for points in series.values() for name in points))
    title += _limited(ROWS, len(names), "rows") + _limited(SERIES, len(series), "runs")
    drawn = dict(list(series.items())[:SERIES])
    return Plot(title, names[:ROWS], drawn, axis, colours or {}, zero)


def _limited(kept: int, every: int, what: str) -> str:
    return f" ({kept} of {every} {what}; the tables have all)" if every > kept else ""


def _figure(plot: Plot) -> Figure:
    from matplotlib.figure import Figure

    names, series = plot.names, plot.series
    sharing = {name: [label for label in series if name in series[label]] for name in names}
    most = max(map(len, sharing.values()), default=1)
    # Inches: a line per run of a row, the axis, and the legend.
    height = (0.1 + 0.2 * most) * len(names) + 0.9 + 0.2 * len(series)
    figure = Figure(figsize=(WIDTH, max(1.6, height)), layout="constrained")

    axes = figure.add_subplot()
    for place, (label, points) in enumerate(series.items()):
        number = plot.colours.get(label, place) % SERIES
        _draw_points(axes, label, number, points, sharing)
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(plot.axis)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.6)
    if len(series) > 1:
        figure.legend(loc="outside upper left", ncols=1, handletextpad=0.4)
    if plot.zero:
        axes.axvline(0, color=_INK, linewidth=1)
    else:
        # A score that looks twice as high as another one is.
        axes.set_xlim(left=0)
    return figure


def _draw_points(
    axes: Axes,
    label: str,
    number: int,
    points: Mapping[str, Point],
    sharing: Mapping[str, Sequence[str]],
) -> None:
    """Draw a run's values; the runs that share a row stand below each other in it."""
    rows = []
    values = []
    below = []
    above = []
    for row, (name, labels) in enumerate(sharing.items()):
        value, low, high = points.get(name, (None, None, None))
        if value is not None:
            line = labels.index(label) - (len(labels) - 1) / 2
            rows.append(row + 0.7 * line / len(labels))
            values.append(100 * value)
            # The ends of an interval that is not known are the value.
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
        # A marker at 0 stays whole.
        clip_on=False,
    )


def _svg(figure: Figure) -> str:
    buffer = io.StringIO()
    hidden: Iterable[str] = ("Creator", "Date", "Format", "Type")
    figure.savefig(buffer, format="svg", metadata=dict.fromkeys(hidden))
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for pattern, replacement in _PAGE.items():
        svg = re.sub(pattern, replacement, svg, flags=re.DOTALL)
    return svg


def _short(text: str) -> str:
    return text if len(text) <= LABEL else f"{text[: LABEL // 2]}…{text[-LABEL // 2 :]}"
