"""Plots as inline SVG: text stays text, colours are CSS variables of the page, light or dark."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec

from spiqa_tasks.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vPX*"
SERIES = len(MARKERS)
"""Number of distinct colours and markers, and the most series of a plot: more are not legible."""
ROWS = 30
"""Most rows of a plot; its title says how many there are, and the tables have all."""

_WIDTH = 5.6
_LABEL = 44
_INK, _MUTED, _GRID = "#000001", "#000002", "#000003"
_VARIABLES = {_INK: "ink", _MUTED: "muted", _GRID: "line"} | {
    f"#0001{k:02x}": f"series-{k}" for k in range(SERIES)
}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 10,
    "legend.frameon": False,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "axes.edgecolor": _GRID,
    "grid.color": _GRID,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
}
_PAGE = {
    r"<metadata>.*?</metadata>": "",
    r"<style.*?</style>": "",
    r'<g id="[^"]*"': "<g",
    r"font-family: [^;\"]*": "font-family: var(--font)",
    r"\s*\n\s*": " ",
}
"""Pattern of matplotlib's SVG -> replacement: ids and styles would clash with those of the
page's other SVGs.
"""

P = ParamSpec("P")
Point = tuple[float | None, float | None, float | None]
"""(value, low, high) in natural units; None without an interval, and for a value that is not
drawn.
"""
Series = Mapping[str, Mapping[str, Point]]
"""Label of a run -> name on the axis -> its value."""


@dataclass(frozen=True)
class Plot:
    """SVG element of a plot, its title and a description for screen readers."""

    title: str
    svg: str
    description: str


def _styled(function: Callable[P, Plot]) -> Callable[P, Plot]:

    @functools.wraps(function)
    def drawing(*args: P.args, **kwargs: P.kwargs) -> Plot:
        require("report", "A report's plots")
        from matplotlib import rc_context

        style: Any = {**_STYLE, "svg.hashsalt": repr((args, kwargs))}
        with rc_context(style):
            return function(*args, **kwargs)

    return drawing


@_styled
def intervals(
    title: str,
    series: Series,
    axis: str,
    colours: Mapping[str, int] | None = None,
    *,
    zero: bool = False,
) -> Plot:
    """Return values x 100 by name with their intervals, a dot per run and name.

    Of more than `SERIES` runs and `ROWS` names the first are drawn.

    Args:
        colours: the colour's number of runs that keep it in every plot.
        zero: whether to draw the line of no difference.
    """
    names = list(dict.fromkeys(name for points in series.values() for name in points))
    title += limited(ROWS, len(names), "rows") + limited(SERIES, len(series), "runs")
    names = names[:ROWS]
    series = dict(list(series.items())[:SERIES])
    sharing = {name: [label for label in series if name in series[label]] for name in names}
    most = max(map(len, sharing.values()), default=1)

    # inches: a line per run of a row, the axis, and the legend
    figure, axes = _figure(max(1.6, (0.1 + 0.2 * most) * len(names) + 0.9 + 0.2 * len(series)))
    for place, (label, points) in enumerate(series.items()):
        number = (colours or {}).get(label, place)
        _draw_points(axes, label, number, points, sharing)
    _name_rows(axes, names)
    axes.set_xlabel(axis)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.6)
    if len(series) > 1:
        figure.legend(loc="outside upper left", ncols=1, handletextpad=0.4)
    if zero:
        axes.axvline(0, color=_MUTED, linewidth=1)
    return _plot(figure, title, f"{axis} of {', '.join(series)} by {', '.join(names)}.")


def _draw_points(
    axes: Axes,
    label: str,
    number: int,
    points: Mapping[str, Point],
    sharing: Mapping[str, Sequence[str]],
) -> None:
    """Draw a run's values; the runs that share a row stand below each other in it."""
    rows = []
    drawn = []
    for row, (name, labels) in enumerate(sharing.items()):
        value, low, high = points.get(name, (None, None, None))
        if value is not None:
            line = labels.index(label) - (len(labels) - 1) / 2
            rows.append(row + 0.7 * line / len(labels))
            drawn.append((value, low, high))

    axes.errorbar(
        [100 * value for value, _, _ in drawn],
        rows,
        xerr=_spans(drawn),
        label=_short(label),
        color=_colour(number),
        marker=MARKERS[number % SERIES],
        markersize=5,
        elinewidth=1.4,
        linestyle="none",
    )


def limited(kept: int, every: int, what: str) -> str:
    """Return the end of a plot's title if not every row or run is drawn, else ''."""
    return f" ({kept} of {every} {what}; the tables have all)" if every > kept else ""


def _figure(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)


def _plot(figure: Figure, title: str, description: str) -> Plot:
    buffer = io.StringIO()
    figure.savefig(
        buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
    )
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for pattern, replacement in _PAGE.items():
        svg = re.sub(pattern, replacement, svg, flags=re.DOTALL)
    svg = re.sub(
        r"#000[01][0-9a-f]{2}\b", lambda found: f"var(--{_VARIABLES.get(found[0], 'ink')})", svg
    )
    return Plot(title, svg, description)


def _colour(number: int) -> str:
    return f"#0001{number % SERIES:02x}"


def _spans(points: Iterable[tuple[float, float | None, float | None]]) -> list[list[float]]:
    """Return the lengths of the intervals below and above their values; 0 without an interval."""
    below = []
    above = []
    for value, low, high in points:
        below.append(100 * max(0.0, value - (value if low is None else low)))
        above.append(100 * max(0.0, (value if high is None else high) - value))
    return [below, above]


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL // 2]}…{text[-_LABEL // 2 :]}"
