"""Charts of the demo papers, drawn from the numbers that the captions and answers are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo_canvas import GREY, INK, SERIES, WHITE, Canvas, Point, text_width
from PIL import Image

Range = tuple[float, float]
SIZE = (480, 320)


@dataclass(frozen=True)
class Axes:
    """A plotting area: maps data to pixels and draws its own frame, ticks and labels."""

    canvas: Canvas
    x_range: Range
    y_range: Range
    top: float = 14

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the plotting area in pixels."""
        return 62, self.top, self.canvas.width - 16, self.canvas.height - 48

    def at(self, x: float, y: float) -> Point:
        """Where a data point lies in pixels."""
        left, top, right, bottom = self.box
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return left + across * (right - left), bottom - up * (bottom - top)

    def frame(self, x_label: str, y_label: str, x_ticks: Mapping[float, str]) -> None:
        """Draw the grid, the ticks and the two labels."""
        left, top, right, bottom = self.box
        for value in ticks(*self.y_range):
            y = self.at(self.x_range[0], value)[1]
            self.canvas.line([(left, y), (right, y)], GREY, 0.5)
            self.canvas.text((left - 6, y), f"{value:g}", 11, anchor="rm")
        for value, name in x_ticks.items():
            x = self.at(value, self.y_range[0])[0]
            self.canvas.line([(x, bottom), (x, bottom + 4)], INK, 1)
            self.canvas.text((x, bottom + 13), name, 11)
        self.canvas.line([(left, top), (left, bottom), (right, bottom)], INK, 1.5)
        self.canvas.text(((left + right) / 2, self.canvas.height - 14), x_label)
        self.canvas.vertical_text((14, (top + bottom) / 2), y_label)


def ticks(low: float, high: float) -> list[float]:
    """About five round values from ``low`` to ``high``, both included where they are round."""
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = power * min((1, 2, 2.5, 5, 10), key=lambda factor: abs(factor * power - rough))
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 9) for index in range(first, math.floor(high / step + 1e-9) + 1)]


def line_chart(
    x_label: str, y_label: str, x: Sequence[float], series: Mapping[str, Sequence[float]], y_range: Range
) -> Image.Image:
    """Lines with markers over shared x values."""
    canvas = Canvas(*SIZE)
    axes = Axes(canvas, (min(x), max(x)), y_range, _legend(canvas, list(series)))
    axes.frame(x_label, y_label, {value: f"{value:g}" for value in x})
    for colour, values in zip(SERIES, series.values(), strict=False):
        points = [axes.at(a, b) for a, b in zip(x, values, strict=True)]
        canvas.line(points, colour, 2.2)
        for point in points:
            canvas.disc(point, 3.5, colour)
    return canvas.image()


def bar_chart(
    x_label: str, y_label: str, groups: Sequence[str], series: Mapping[str, Sequence[float]], y_range: Range
) -> Image.Image:
    """Grouped bars, one colour a series, each with its value on top."""
    canvas = Canvas(*SIZE)
    top = _legend(canvas, list(series)) if len(series) > 1 else 18
    axes = Axes(canvas, (-0.5, len(groups) - 0.5), y_range, top)
    axes.frame(x_label, y_label, {float(place): name for place, name in enumerate(groups)})
    width = 0.76 / len(series)
    for rank, (colour, values) in enumerate(zip(SERIES, series.values(), strict=False)):
        for place, value in enumerate(values):
            left, height = axes.at(place - 0.38 + rank * width, value)
            right, bottom = axes.at(place - 0.38 + (rank + 0.92) * width, y_range[0])
            canvas.rectangle((left, height, right, bottom), colour)
            canvas.text(((left + right) / 2, height - 7), f"{value:g}", 10)
    return canvas.image()


def scatter_chart(
    x_label: str, y_label: str, clusters: Mapping[str, Sequence[Point]], x_range: Range, y_range: Range
) -> Image.Image:
    """Points, one colour a cluster."""
    canvas = Canvas(*SIZE)
    axes = Axes(canvas, x_range, y_range, _legend(canvas, list(clusters)))
    axes.frame(x_label, y_label, {value: f"{value:g}" for value in ticks(*x_range)})
    for colour, points in zip(SERIES, clusters.values(), strict=False):
        for x, y in points:
            canvas.disc(axes.at(x, y), 3.5, colour)
    return canvas.image()


def heatmap(x_label: str, y_label: str, names: Sequence[str], values: Sequence[Sequence[float]]) -> Image.Image:
    """A square matrix with its numbers, darker for higher; row and column names are the same."""
    canvas = Canvas(440, 360)
    left, top, cell = 100.0, 14.0, 290 / len(names)
    peak = max(max(row) for row in values)
    for row, numbers in enumerate(values):
        canvas.text((left - 6, top + (row + 0.5) * cell), names[row], 11, anchor="rm")
        canvas.text((left + (row + 0.5) * cell, top + 290 + 12), names[row], 11)
        for column, number in enumerate(numbers):
            share = number / peak
            shade = (round(247 - 215 * share), round(251 - 170 * share), round(255 - 95 * share))
            x, y = left + column * cell, top + row * cell
            canvas.rectangle((x, y, x + cell - 1, y + cell - 1), shade)
            canvas.text((x + cell / 2, y + cell / 2), f"{number:g}", 12, WHITE if share > 0.5 else INK)
    canvas.text((left + 145, 342), x_label)
    canvas.vertical_text((16, top + 145), y_label)
    return canvas.image()


def pie_chart(shares: Mapping[str, float]) -> Image.Image:
    """A pie of shares in percent (they sum to 100), clockwise from the top, with a legend."""
    canvas = Canvas(440, 260)
    start = -90.0
    for rank, (name, share) in enumerate(shares.items()):
        end = start + 3.6 * share
        canvas.pie((130, 130), 110, start, end, SERIES[rank])
        middle = math.radians((start + end) / 2)
        canvas.text((130 + 75 * math.cos(middle), 130 + 75 * math.sin(middle)), f"{share:g}%", 12, WHITE)
        y = 130 + 26 * (rank - (len(shares) - 1) / 2)
        canvas.rectangle((270, y - 7, 284, y + 7), SERIES[rank])
        canvas.text((292, y), name, 13, anchor="lm")
        start = end
    return canvas.image()


def table(header: Sequence[str], rows: Sequence[Sequence[str | float]]) -> Image.Image:
    """A table as printed in papers: three rules, the first column left-aligned, the others centred."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(text_width(row[column], 14) for row in cells) + 30 for column in range(len(header))]
    canvas = Canvas(round(sum(widths)) + 24, 26 * len(cells) + 24)
    for index, row in enumerate(cells):
        left, y = 12.0, 25 + 26.0 * index
        for column, cell in enumerate(row):
            place = (left + 8, y) if column == 0 else (left + widths[column] / 2, y)
            canvas.text(place, cell, 14, anchor="lm" if column == 0 else "mm")
            left += widths[column]
    bottom = 26 * len(cells) + 12
    for y, weight in ((11, 1.6), (38, 0.9), (bottom, 1.6)):
        canvas.line([(12, y), (12 + sum(widths), y)], INK, weight)
    return canvas.image()


def _legend(canvas: Canvas, names: list[str]) -> float:
    """Draw the legend in one row at the top; returns where the plotting area may begin."""
    left = 66.0
    for colour, name in zip(SERIES, names, strict=False):
        canvas.rectangle((left, 9, left + 14, 17), colour)
        canvas.text((left + 19, 13), name, 12, anchor="lm")
        left += 34 + text_width(name, 12)
    return 30
