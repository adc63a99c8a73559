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
    **{"svg.fonttype": "none", "text.parse_math": False, "font.size": 10, "legend.frameon": False},
    **{"text.color": _INK, "axes.labelcolor": _INK, "xtick.color": _MUTED, "ytick.color": _MUTED},
    **{
        "xtick.labelcolor": _INK,
        "ytick.labelcolor": _INK,
        "axes.edgecolor": _GRID,
        "grid.color": _GRID,
    },
    **{
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
    },
}

_PAGE = {
    r"<metadata>.*?</metadata>": "",
    r"<style.*?</style>": "",
    r'<g id="[^"]*"': "<g",
    r"font-family: [^;\"]*": "font-family: var(--font)",
    r"\s*\n\s*": " ",
}
"""Pattern of matplotlib's SVG -> replacement: ids and styles would clash with those of the page's other SVGs."""

P = ParamSpec("P")
Point = tuple[float | None, float | None, float | None]
"""(value, low, high) in natural units; None without an interval, and for a value that is not drawn."""
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
    bars: bool = False,
    zero: bool = False,
) -> Plot:
    """Return values x 100 by name with their intervals, a dot per run and name, or a bar from 0.

    `colours` has the colour number of runs that keep it in every plot; `zero` draws the line of no difference, as bars
    have it. Of more than `SERIES` runs and `ROWS` names the first are drawn. Runs that share no name stand on one line
    each, in the order of their values.
    """
    named = list(dict.fromkeys(name for points in series.values() for name in points))
    title += limited(ROWS, len(named), "rows") + limited(SERIES, len(series), "runs")
    series = dict(list(series.items())[:SERIES])
    apart = len(named) < sum(map(len, series.values()))
    if not apart and len(series) > 1:
        values = {
            name: point[0] or 0 for points in series.values() for name, point in points.items()
        }
        named.sort(key=lambda name: -values.get(name, 0))
    names, beside = named[:ROWS], len(series) if apart else 1
    step = (0.8 if bars else 0.7) / max(1, beside)
    room = 0.26 if bars else 0.22
    figure, axes = _figure(
        max(1.6, (room * beside + 0.2 * apart + 0.04) * len(names) + 0.9 + 0.2 * len(series))
    )
    for place, (label, points) in enumerate(series.items()):
        colour = (colours or {}).get(label, place)
        known = {
            n: (v, low, high)
            for n, (v, low, high) in points.items()
            if v is not None and n in names
        }
        rows = [names.index(name) + (place - (beside - 1) / 2) * step * apart for name in known]
        scaled = [100 * value for value, _, _ in known.values()]
        style: Any = {"xerr": _spans(known.values()), "linestyle": "none"}
        if bars:
            axes.barh(rows, scaled, height=0.86 * step, color=_colour(colour), label=_short(label))
            axes.errorbar(
                scaled, rows, ecolor=_INK, color=_INK, marker="o", markersize=3.5, **style
            )
        else:
            style |= {"color": _colour(colour), "marker": MARKERS[colour % SERIES], "markersize": 5}
            axes.errorbar(scaled, rows, label=_short(label), elinewidth=1.4, **style)
    _name_rows(axes, names)
    axes.set_xlabel(axis)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.6)
    if len(series) > 1:
        figure.legend(loc="outside upper left", ncols=1, handletextpad=0.4)
    if bars or zero:
        axes.axvline(0, color=_MUTED, linewidth=1)
    return _plot(figure, title, f"{axis} of {', '.join(series)} by {', '.join(names)}.")


@_styled
def stacked(title: str, names: Sequence[str], parts: Mapping[str, Sequence[int]]) -> Plot:
    """Return shares of parts as stacked bars, one bar per name; parts without a count are left out."""
    title += limited(ROWS, len(names), "rows")
    names = names[:ROWS]
    shown = {part: counts[:ROWS] for part, counts in parts.items() if any(counts)}
    totals = [max(1, sum(counts)) for counts in zip(*shown.values(), strict=True)]
    figure, axes = _figure(0.34 * len(names) + 1.2)
    left = [0.0] * len(names)
    for place, (part, counts) in enumerate(shown.items()):
        shares = [100 * count / total for count, total in zip(counts, totals, strict=True)]
        axes.barh(
            range(len(names)),
            shares,
            left=left,
            color=_colour(place),
            height=0.62,
            label=part.replace("_", " "),
        )
        left = [start + share for start, share in zip(left, shares, strict=True)]
    _name_rows(axes, names)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the questions")
    figure.legend(
        loc="outside upper left", ncols=4, handlelength=1, handletextpad=0.4, columnspacing=1
    )
    return _plot(figure, title, f"Shares of {', '.join(shown)} for {', '.join(names)}.")


@_styled
def histogram(title: str, series: Sequence[tuple[str, int, Sequence[float]]]) -> Plot:
    """Return the distribution of scores from 0 to 1 of each (label, colour, scores), in 20 bins."""
    title, series = title + limited(SERIES, len(series), "runs"), series[:SERIES]
    figure, axes = _figure(2.6 + 0.2 * len(series))
    for label, colour, values in series:
        shares = [100 / len(values)] * len(values)
        style: Any = {
            "histtype": "step",
            "color": _colour(colour),
            "linewidth": 1.8,
            "label": _short(label),
        }
        axes.hist(values, bins=20, range=(0, 1), weights=shares, **style)
    axes.set_xlabel("score")
    axes.set_ylabel("% of the answers")
    axes.grid(axis="y", linewidth=0.6)
    figure.legend(loc="outside upper left", ncols=1)
    return _plot(
        figure, title, f"Distribution of score for {', '.join(label for label, _, _ in series)}."
    )


@_styled
def scatter(title: str, pairs: Sequence[tuple[float, float]], x: str, y: str) -> Plot:
    """Return one dot per pair of values from 0 to 1."""
    figure, axes = _square(4.2, x, y)
    axes.scatter(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        s=14,
        color=_colour(0),
        alpha=0.5,
        linewidths=0,
    )
    return _plot(figure, title, f"{len(pairs)} answers, {x} against {y}.")


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


def _square(height: float, x: str, y: str) -> tuple[Figure, Axes]:
    figure, axes = _figure(height)
    axes.plot([0, 1], [0, 1], color=_MUTED, linewidth=1)
    axes.set_xlabel(_short(x))
    axes.set_ylabel(_short(y))
    axes.set_aspect("equal")
    return figure, axes


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
    spans = [
        (0.0, 0.0)
        if low is None or high is None
        else (max(0.0, value - low), max(0.0, high - value))
        for value, low, high in points
    ]
    return [[100 * below for below, _ in spans], [100 * above for _, above in spans]]


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL // 2]}…{text[-_LABEL // 2 :]}"
