"""Simple drawings: flow diagrams, shapes, faces, clocks, triangles and the like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from demo_canvas import GREY, INK, NAMED, SERIES, WHITE, Canvas, Colour, Point, text_width
from PIL import Image

Cell = tuple[float, float]
Shape = tuple[str, str, float, float, float]
PALE: tuple[Colour, ...] = ((221, 235, 247), (226, 240, 217), (255, 242, 204), (248, 223, 219), (232, 224, 240))


def schematic(
    boxes: Mapping[str, Cell], arrows: Sequence[tuple[str, str, str]], size: tuple[int, int] = (560, 220)
) -> Image.Image:
    """Boxes on a grid, (column, row) from 0, joined by arrows (from, to, label); the names are what is written."""
    canvas = Canvas(*size)
    columns = 1 + max(column for column, _ in boxes.values())
    rows = 1 + max(row for _, row in boxes.values())
    wide, high = size[0] / columns, size[1] / rows
    centres = {name: (wide * (column + 0.5), high * (row + 0.5)) for name, (column, row) in boxes.items()}
    half = (wide * 0.36, min(high * 0.32, 32))
    for start, end, label in arrows:
        _connect(canvas, centres[start], centres[end], half, label)
    for rank, (name, (x, y)) in enumerate(centres.items()):
        box = (x - half[0], y - half[1], x + half[0], y + half[1])
        canvas.rectangle(box, PALE[rank % len(PALE)], INK, 7)
        canvas.text((x, y), name, 12.5)
    return canvas.image()


def _connect(canvas: Canvas, start: Point, end: Point, half: Point, label: str) -> None:
    """An arrow from the edge of one box to the edge of another, sideways unless they are in one column."""
    if abs(start[0] - end[0]) < 1:
        turn = math.copysign(half[1], end[1] - start[1])
        tail, tip = (start[0], start[1] + turn), (end[0], end[1] - turn)
        place, anchor = (start[0] + 6, (tail[1] + tip[1]) / 2), "lm"
    else:
        turn = math.copysign(half[0], end[0] - start[0])
        tail, tip = (start[0] + turn, start[1]), (end[0] - turn, end[1])
        lift = 9 if abs(start[1] - end[1]) < 1 else 0
        place, anchor = ((tail[0] + tip[0]) / 2, (tail[1] + tip[1]) / 2 - lift), "mm"
    canvas.arrow(tail, tip)
    if label and tail[0] != tip[0] and tail[1] != tip[1]:
        wide = text_width(label, 11) / 2 + 3
        canvas.rectangle((place[0] - wide, place[1] - 8, place[0] + wide, place[1] + 8), WHITE)
    canvas.text(place, label, 11, anchor=anchor)


def shapes(items: Sequence[Shape], size: tuple[int, int] = (400, 300)) -> Image.Image:
    """Shapes (kind, colour, x, y, radius): kinds are circle, square, triangle, star, diamond."""
    canvas = Canvas(*size, background=(246, 246, 240))
    for kind, colour, x, y, radius in items:
        fill = NAMED[colour]
        if kind == "circle":
            canvas.disc((x, y), radius, fill)
        else:
            canvas.polygon(_outline(kind, x, y, radius), fill)
    return canvas.image()


def _outline(kind: str, x: float, y: float, radius: float) -> list[Point]:
    corners, first = {"square": (4, 45), "triangle": (3, -90), "star": (10, -90), "diamond": (4, -90)}[kind]
    points = []
    for corner in range(corners):
        angle = math.radians(first + 360 * corner / corners)
        length = radius * (0.42 if kind == "star" and corner % 2 else 1)
        points.append((x + length * math.cos(angle), y + length * math.sin(angle)))
    return points


def sad_face() -> Image.Image:
    """A face that frowns, with a tear."""
    canvas = Canvas(300, 300, (225, 235, 245))
    canvas.disc((150, 150), 110, NAMED["yellow"], INK)
    for x in (112, 188):
        canvas.disc((x, 125), 12, INK)
    canvas.arc((100, 185, 200, 265), 200, 340, INK, 5)
    canvas.disc((188, 165), 9, NAMED["blue"])
    return canvas.image()


def clock(hour: int, minute: int) -> Image.Image:
    """A clock face with twelve numbers and two hands."""
    canvas = Canvas(300, 300)
    canvas.disc((150, 150), 130, (250, 248, 240), INK)
    for number in range(1, 13):
        angle = math.radians(30 * number - 90)
        canvas.text((150 + 108 * math.cos(angle), 150 + 108 * math.sin(angle)), str(number), 19)
    for turn, length, width in ((hour * 30 + minute / 2, 58, 6), (minute * 6, 88, 3.5)):
        angle = math.radians(turn - 90)
        canvas.line([(150, 150), (150 + length * math.cos(angle), 150 + length * math.sin(angle))], INK, width)
    canvas.disc((150, 150), 6, INK)
    return canvas.image()


def right_triangle(base: int, height: int) -> Image.Image:
    """A right triangle with the lengths of its legs in cm and a question mark at the hypotenuse."""
    canvas = Canvas(380, 300)
    left, bottom, unit = 80.0, 250.0, 200 / max(base, height)
    corners = [(left, bottom), (left + base * unit, bottom), (left, bottom - height * unit)]
    canvas.polygon(corners, PALE[0])
    canvas.line([*corners, corners[0]], INK, 2.5)
    canvas.line([(left, bottom - 16), (left + 16, bottom - 16), (left + 16, bottom)], INK, 1.5)
    canvas.text((left + base * unit / 2, bottom + 20), f"{base} cm", 17)
    canvas.text((left - 36, bottom - height * unit / 2), f"{height} cm", 17)
    canvas.text((left + base * unit / 2 + 22, bottom - height * unit / 2 - 14), "?", 20)
    return canvas.image()


def coins(values: Sequence[int]) -> Image.Image:
    """A row of coins with their values in cents."""
    canvas = Canvas(40 + 84 * len(values), 140, (60, 90, 80))
    for place, value in enumerate(values):
        centre = (62 + 84.0 * place, 70.0)
        canvas.disc(centre, 36, (214, 170, 80), (150, 110, 40))
        canvas.text(centre, f"{value}c", 20)
    return canvas.image()


def code(lines: Sequence[str]) -> Image.Image:
    """A short program on a dark ground; leading blanks of a line become its indent."""
    canvas = Canvas(400, 40 + 28 * len(lines), (40, 44, 52))
    for number, line in enumerate(lines):
        y = 34 + 28 * number
        indent = 7 * (len(line) - len(line.lstrip()))
        canvas.text((22, y), str(number + 1), 15, (130, 135, 145), "lm")
        canvas.text((52 + indent, y), line.lstrip(), 16, (225, 228, 235), "lm")
    return canvas.image()


def dot_steps(counts: Sequence[int]) -> Image.Image:
    """Numbered steps with that many dots each in columns, then one step with a question mark."""
    canvas = Canvas(90 * (len(counts) + 1) + 20, 240)
    for step, count in enumerate([*counts, 0], start=1):
        x = 90.0 * step - 35
        canvas.text((x, 220), f"step {step}", 14)
        for dot in range(count):
            canvas.disc((x - 13 + 26 * (dot % 2), 190 - 26 * (dot // 2)), 10, NAMED["blue"])
        if count == 0:
            canvas.text((x, 170), "?", 40)
    return canvas.image()


def layers(names: Sequence[str]) -> Image.Image:
    """A cut through the ground: named layers from the surface down."""
    canvas = Canvas(400, 300, (190, 220, 240))
    tones: tuple[Colour, ...] = ((92, 140, 70), (120, 85, 55), (165, 130, 90), (150, 150, 150), (105, 105, 112))
    high = 250 / len(names)
    for rank, name in enumerate(names):
        y = 50 + rank * high
        canvas.rectangle((0, y, 400, y + high), tones[rank])
        canvas.text((200, y + high / 2), name, 17, WHITE)
    return canvas.image()


def series_circuit(ohms: Sequence[int], volts: int) -> Image.Image:
    """A battery and resistors in series."""
    canvas = Canvas(420, 240)
    canvas.line([(60, 50), (360, 50), (360, 190), (60, 190), (60, 50)], INK, 2)
    for place, value in enumerate(ohms):
        x = 60 + 300 * (place + 1) / (len(ohms) + 1)
        canvas.rectangle((x - 32, 38, x + 32, 62), PALE[2], INK)
        canvas.text((x, 22), f"{value} ohm", 15)
    canvas.rectangle((200, 170, 214, 210), WHITE)
    canvas.line([(200, 168), (200, 212)], INK, 2.5)
    canvas.line([(214, 178), (214, 202)], INK, 5)
    canvas.text((207, 226), f"{volts} V", 15)
    return canvas.image()


def map_grid(places: Mapping[str, Cell]) -> Image.Image:
    """A map of 6 x 4 squares with named places, (column, row) from the north-west, and a north arrow."""
    canvas = Canvas(440, 300, (236, 240, 226))
    for x in range(20, 381, 60):
        canvas.line([(x, 30), (x, 270)], GREY, 1)
    for y in range(30, 271, 60):
        canvas.line([(20, y), (380, y)], GREY, 1)
    for rank, (name, (column, row)) in enumerate(places.items()):
        centre = (50 + 60 * column, 60 + 60 * row)
        canvas.disc(centre, 8, SERIES[rank])
        canvas.text((centre[0], centre[1] + 19), name, 13)
    canvas.arrow((410, 110), (410, 50))
    canvas.text((410, 36), "N", 17)
    return canvas.image()
