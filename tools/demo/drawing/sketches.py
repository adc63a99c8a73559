"""Simple drawings: flow diagrams, shapes, a face, a clock, a triangle and the like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from drawing.board import INK, NAMED, POINT, board, picture
from matplotlib.patches import Arc, Circle, FancyBboxPatch, Polygon, Rectangle
from PIL import Image

Cell = tuple[float, float]
Shape = tuple[str, str, float, float, float]
PALE = ("#ddebf7", "#e2f0d9", "#fff2cc", "#f8dfdb", "#e8e0f0")
MARKERS = {"circle": "o", "square": "s", "triangle": "^", "star": "*", "diamond": "d"}


def schematic(
    boxes: Mapping[str, Cell], arrows: Sequence[tuple[str, str, str]], size: tuple[int, int] = (560, 220)
) -> Image.Image:
    """Return boxes on a grid, (column, row) from 0, joined by arrows (from, to, label); a box shows its name."""
    axes = board(*size)
    wide = size[0] / (1 + max(column for column, _ in boxes.values()))
    high = size[1] / (1 + max(row for _, row in boxes.values()))
    half = (wide * 0.34, min(high * 0.32, 32))
    centres = {name: (wide * (column + 0.5), high * (row + 0.5)) for name, (column, row) in boxes.items()}
    patches = {}
    for rank, (name, (x, y)) in enumerate(centres.items()):
        patches[name] = FancyBboxPatch(
            (x - half[0], y - half[1]),
            2 * half[0],
            2 * half[1],
            boxstyle="round,pad=0,rounding_size=7",
            facecolor=PALE[rank % len(PALE)],
            edgecolor=INK,
        )
        axes.add_patch(patches[name])
        axes.text(x, y, name, ha="center", va="center")
    for start, end, label in arrows:
        (x, y), (to_x, to_y) = centres[start], centres[end]
        style = {"arrowstyle": "-|>", "color": INK, "patchA": patches[start], "patchB": patches[end]}
        axes.annotate("", (to_x, to_y), (x, y), arrowprops={**style, "shrinkA": 0, "shrinkB": 0})
        beside = {"ha": "left", "va": "center"} if x == to_x else {"ha": "center", "va": "bottom"}
        gap = (6, 0) if x == to_x else (0, -4)
        axes.text((x + to_x) / 2 + gap[0], (y + to_y) / 2 + gap[1], label, fontsize=8, **beside)
    return picture(axes)


def shapes(items: Sequence[Shape]) -> Image.Image:
    """Return shapes (kind, colour, x, y, radius): kinds are circle, square, triangle, star, diamond."""
    axes = board(400, 300, "#f6f6f0")
    for kind, colour, x, y, radius in items:
        axes.plot(x, y, MARKERS[kind], color=NAMED[colour], markersize=2 * radius * POINT, markeredgewidth=0)
    return picture(axes)


def sad_face() -> Image.Image:
    """Return a face that frowns, with a tear."""
    axes = board(300, 300, "#e1ebf5")
    axes.add_patch(Circle((150, 150), 110, facecolor=NAMED["yellow"], edgecolor=INK, linewidth=1.5))
    for x in (112, 188):
        axes.add_patch(Circle((x, 125), 12, color=INK))
    axes.add_patch(Arc((150, 225), 100, 80, theta1=200, theta2=340, color=INK, linewidth=4))
    axes.add_patch(Circle((188, 165), 9, color=NAMED["blue"]))
    return picture(axes)


def clock(hour: int, minute: int) -> Image.Image:
    """Return a clock face with twelve numbers and two hands."""
    axes = board(300, 300)
    axes.add_patch(Circle((150, 150), 130, facecolor="#faf8f0", edgecolor=INK, linewidth=1.5))
    for number in range(1, 13):
        axes.text(*_on_dial(30 * number, 108), str(number), fontsize=14, ha="center", va="center")
    for angle, length, width in ((hour * 30 + minute / 2, 58, 4.5), (minute * 6, 88, 2.5)):
        axes.plot(*zip((150, 150), _on_dial(angle, length), strict=True), color=INK, linewidth=width)
    axes.add_patch(Circle((150, 150), 6, color=INK))
    return picture(axes)


def _on_dial(angle: float, length: float) -> Cell:
    """Return where a hand of that length ends, its angle in degrees clockwise from twelve."""
    return 150 + length * math.sin(math.radians(angle)), 150 - length * math.cos(math.radians(angle))


def right_triangle(base: int, height: int) -> Image.Image:
    """Return a right triangle with the lengths of its legs in cm and a question mark at the hypotenuse."""
    axes = board(380, 300)
    left, bottom, unit = 80, 250, 200 / max(base, height)
    right, top = left + base * unit, bottom - height * unit
    axes.add_patch(Polygon([(left, bottom), (right, bottom), (left, top)], facecolor=PALE[0], edgecolor=INK, lw=2))
    axes.add_patch(Rectangle((left, bottom - 16), 16, 16, facecolor="none", edgecolor=INK))
    axes.text((left + right) / 2, bottom + 20, f"{base} cm", fontsize=13, ha="center", va="center")
    axes.text(left - 36, (top + bottom) / 2, f"{height} cm", fontsize=13, ha="center", va="center")
    axes.text((left + right) / 2 + 22, (top + bottom) / 2 - 14, "?", fontsize=15, ha="center", va="center")
    return picture(axes)


def coins(values: Sequence[int]) -> Image.Image:
    """Return a row of coins with their values in cents."""
    axes = board(40 + 84 * len(values), 140, "#3c5a50")
    for place, value in enumerate(values):
        x = 62 + 84 * place
        axes.add_patch(Circle((x, 70), 36, facecolor="#d6aa50", edgecolor="#966e28", linewidth=2))
        axes.text(x, 70, f"{value}c", fontsize=15, ha="center", va="center")
    return picture(axes)


def code(lines: Sequence[str]) -> Image.Image:
    """Return a short program, numbered, on a dark ground."""
    axes = board(400, 40 + 28 * len(lines), "#282c34")
    for number, line in enumerate(lines, start=1):
        y = 6 + 28 * number
        axes.text(22, y, str(number), fontsize=11, color="#82878f", va="center", family="DejaVu Sans Mono")
        axes.text(52, y, line, fontsize=11, color="#e1e4eb", va="center", family="DejaVu Sans Mono")
    return picture(axes)


def dot_steps(counts: Sequence[int]) -> Image.Image:
    """Return numbered steps with that many dots each in two columns, then one step with a question mark."""
    axes = board(90 * (len(counts) + 1) + 20, 240)
    for step, count in enumerate([*counts, 0], start=1):
        x = 90 * step - 35
        axes.text(x, 220, f"step {step}", fontsize=10, ha="center", va="center")
        for dot in range(count):
            axes.add_patch(Circle((x - 13 + 26 * (dot % 2), 190 - 26 * (dot // 2)), 10, color=NAMED["blue"]))
    axes.text(x, 170, "?", fontsize=28, ha="center", va="center")
    return picture(axes)


def layers(names: Sequence[str]) -> Image.Image:
    """Return a cut through the ground: named layers from the surface down."""
    axes = board(400, 300, "#bedcf0")
    high = 250 / len(names)
    for rank, (name, tone) in enumerate(zip(names, ("#5c8c46", "#785537", "#a5825a", "#7d7d82"), strict=True)):
        axes.add_patch(Rectangle((0, 50 + rank * high), 400, high, color=tone))
        axes.text(200, 50 + (rank + 0.5) * high, name, fontsize=13, color="white", ha="center", va="center")
    return picture(axes)


def series_circuit(ohms: Sequence[int], volts: int) -> Image.Image:
    """Return a battery and resistors in series."""
    axes = board(420, 240)
    axes.add_patch(Rectangle((60, 50), 300, 140, facecolor="none", edgecolor=INK, linewidth=1.5))
    for place, value in enumerate(ohms, start=1):
        x = 60 + 300 * place / (len(ohms) + 1)
        axes.add_patch(Rectangle((x - 32, 38), 64, 24, facecolor=PALE[2], edgecolor=INK, zorder=2))
        axes.text(x, 22, f"{value} ohm", fontsize=11, ha="center", va="center")
    axes.add_patch(Rectangle((201, 180), 12, 20, color="white", zorder=2))
    axes.plot((200, 200), (168, 212), color=INK, linewidth=2)
    axes.plot((214, 214), (178, 202), color=INK, linewidth=4)
    axes.text(207, 226, f"{volts} V", fontsize=11, ha="center", va="center")
    return picture(axes)


def map_grid(places: Mapping[str, Cell]) -> Image.Image:
    """Return a map of 6 x 4 squares with named places, (column, row) from the north-west, and a north arrow."""
    axes = board(440, 300, "#ece8da")
    axes.vlines(range(20, 381, 60), 30, 270, color="#c8c8c8", linewidth=0.8)
    axes.hlines(range(30, 271, 60), 20, 380, color="#c8c8c8", linewidth=0.8)
    for name, (column, row) in places.items():
        x, y = 50 + 60 * column, 60 + 60 * row
        axes.plot(x, y, "o", markersize=11)
        axes.text(x, y + 19, name, ha="center", va="center")
    axes.annotate("", (410, 50), (410, 115), arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0})
    axes.text(410, 36, "N", fontsize=13, ha="center", va="center")
    return picture(axes)
