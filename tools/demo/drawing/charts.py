"""Charts of the demo set, drawn from the numbers that the captions and answers are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from drawing.board import INK, board, chart_axes, picture
from matplotlib.axes import Axes
from PIL import Image

Range = tuple[float, float]
Point = tuple[float, float]


def line_chart(
    x_label: str, y_label: str, x: Sequence[float], series: Mapping[str, Sequence[float]], y_range: Range
) -> Image.Image:
    """Return lines with markers over shared x values."""
    axes = _axes(x_label, y_label, y_range)
    for name, values in series.items():
        axes.plot(x, values, "o-", label=name, linewidth=1.8, markersize=5, clip_on=False)
    axes.set_xticks(x)
    return _with_legend(axes)


def bar_chart(
    x_label: str, y_label: str, groups: Sequence[str], series: Mapping[str, Sequence[float]], y_range: Range
) -> Image.Image:
    """Return grouped bars, one colour a series, each with its value on top."""
    axes = _axes(x_label, y_label, y_range)
    width = 0.76 / len(series)
    for rank, (name, values) in enumerate(series.items()):
        places = np.arange(len(groups)) + (rank - (len(series) - 1) / 2) * width
        axes.bar_label(axes.bar(places, values, 0.92 * width, label=name), fmt="%g", fontsize=8, padding=1)
    axes.set_xticks(range(len(groups)), groups)
    return _with_legend(axes) if len(series) > 1 else picture(axes)


def scatter_chart(
    x_label: str, y_label: str, clusters: Mapping[str, Sequence[Point]], x_range: Range, y_range: Range
) -> Image.Image:
    """Return points, one colour a cluster."""
    axes = _axes(x_label, y_label, y_range)
    for name, points in clusters.items():
        axes.plot(*zip(*points, strict=True), "o", label=name, markersize=5)
    axes.set_xlim(x_range)
    return _with_legend(axes)


def heatmap(x_label: str, y_label: str, names: Sequence[str], values: Sequence[Sequence[float]]) -> Image.Image:
    """Return a square matrix with its numbers, darker for higher; row and column names are the same."""
    axes = chart_axes(440, 360, xlabel=x_label, ylabel=y_label)
    axes.imshow(values, cmap="Blues", vmin=0)
    peak = np.max(values)
    for (row, column), number in np.ndenumerate(values):
        axes.text(column, row, f"{number:g}", ha="center", va="center", color="white" if number > peak / 2 else INK)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return picture(axes)


def pie_chart(shares: Mapping[str, float]) -> Image.Image:
    """Return a pie of shares in percent (they sum to 100), clockwise from the top, with a legend."""
    axes = chart_axes(440, 260)
    slices = axes.pie(
        shares.values(),
        startangle=90,
        counterclock=False,
        autopct="%g%%",
        pctdistance=0.7,
        textprops={"color": "white"},
        wedgeprops={"edgecolor": "white"},
    )
    axes.figure.legend(slices[0], shares, loc="outside right center", fontsize=10)
    return picture(axes)


def table(header: Sequence[str], rows: Sequence[Sequence[str | float]]) -> Image.Image:
    """Return a table as printed in papers: three rules, the first column left-aligned, the others centred."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [8.5 * max(len(row[column]) for row in cells) + 30 for column in range(len(header))]
    lefts = np.cumsum([12, *widths])
    bottom = 26 * len(cells) + 12
    axes = board(lefts[-1] + 12, bottom + 12)
    for line, row in enumerate(cells):
        for column, cell in enumerate(row):
            x, side = (lefts[0] + 8, "left") if column == 0 else (lefts[column] + widths[column] / 2, "center")
            axes.text(x, 25 + 26 * line, cell, fontsize=10, ha=side, va="center")
    for y, weight in ((11, 1.2), (38, 0.7), (bottom, 1.2)):
        axes.plot((lefts[0], lefts[-1]), (y, y), color=INK, linewidth=weight)
    return picture(axes)


def _axes(x_label: str, y_label: str, y_range: Range) -> Axes:
    return chart_axes(480, 320, xlabel=x_label, ylabel=y_label, ylim=y_range)


def _with_legend(axes: Axes) -> Image.Image:
    """Return the chart with its legend in one row at the top."""
    names = axes.get_legend_handles_labels()[1]
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(names), columnspacing=1.2, handlelength=1.4)
    return picture(axes)
