"""Photograph-like scenes: hills, houses, trees, balloons and boats, counted exactly, with film grain."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from demo_canvas import NAMED, WHITE, Canvas, Colour
from PIL import Image, ImageChops, ImageFilter

SIZE = (400, 260)
ROOFS: tuple[Colour, ...] = ((165, 62, 48), (140, 70, 50), (120, 52, 60))


def scene(
    seed: int,
    *,
    houses: int = 0,
    trees: int = 0,
    boats: int = 0,
    balloons: Sequence[str] = (),
    night: bool = False,
) -> Image.Image:
    """A landscape with so many houses, trees and boats, and one balloon for each colour name; none overlap."""
    rng = random.Random(seed)
    canvas = Canvas(*SIZE)
    _sky(canvas, rng, night)
    if not balloons:
        canvas.disc((rng.uniform(300, 370), 36), 17, (240, 238, 214) if night else (255, 240, 170))
    for level, height in ((0.52, 34), (0.62, 24), (0.72, 14)):
        _hill(canvas, rng, level, height, night)
    for x in _slots(rng, houses):
        _house(canvas, rng, x, 176 + rng.uniform(-6, 10), night)
    if boats:
        _lake(canvas, rng, night)
    for x in _slots(rng, boats):
        _boat(canvas, rng, x, 226 + rng.uniform(-9, 12))
    for x in _slots(rng, trees):
        _tree(canvas, rng, x, (205 if boats else 238) + rng.uniform(-6, 6), night)
    for x, name in zip(_slots(rng, len(balloons)), balloons, strict=True):
        _balloon(canvas, x, 48 + rng.uniform(-14, 28), NAMED[name])
    return _grain(canvas.image(), rng)


def blurred(image: Image.Image) -> Image.Image:
    """The same picture out of focus."""
    return image.filter(ImageFilter.GaussianBlur(5))


def _slots(rng: random.Random, count: int) -> list[float]:
    """Places from left to right, evenly spaced but for a little jitter."""
    width = SIZE[0] / max(count, 1)
    return [width * (place + 0.5) + rng.uniform(-0.14, 0.14) * width for place in range(count)]


def _sky(canvas: Canvas, rng: random.Random, night: bool) -> None:
    high, low = ((12, 18, 48), (58, 62, 104)) if night else ((84, 144, 208), (226, 232, 236))
    for y in range(0, SIZE[1], 2):
        share = min(1.0, y / 150)
        canvas.rectangle((0, y, SIZE[0], y + 2), _mixed(high, low, share))
    if night:
        for _ in range(60):
            canvas.disc((rng.uniform(0, SIZE[0]), rng.uniform(0, 120)), rng.uniform(0.5, 1.3), (235, 235, 215))


def _hill(canvas: Canvas, rng: random.Random, level: float, height: float, night: bool) -> None:
    waves = [(rng.uniform(0.5, 1), rng.uniform(0.006, 0.02), rng.uniform(0, 6.3)) for _ in range(3)]
    ridge = []
    for x in range(0, SIZE[0] + 4, 4):
        swing = sum(size * math.sin(x * rate + phase) for size, rate, phase in waves) / 3
        ridge.append((float(x), SIZE[1] * level - height * swing))
    tone = _mixed((138, 160, 140), (72, 122, 58), (level - 0.52) * 5)
    canvas.polygon([*ridge, (SIZE[0], SIZE[1]), (0, SIZE[1])], _mixed(tone, (10, 14, 34), 0.75) if night else tone)


def _house(canvas: Canvas, rng: random.Random, x: float, y: float, night: bool) -> None:
    wall = _mixed((236, 224, 200), (30, 30, 50), 0.6) if night else (236, 224, 200)
    canvas.rectangle((x - 15, y, x + 15, y + 24), wall)
    canvas.polygon([(x - 19, y), (x, y - 17), (x + 19, y)], rng.choice(ROOFS))
    canvas.rectangle((x - 9, y + 6, x - 2, y + 13), (255, 214, 96) if night else (70, 90, 110))
    canvas.rectangle((x + 4, y + 9, x + 11, y + 24), (92, 62, 44))


def _tree(canvas: Canvas, rng: random.Random, x: float, y: float, night: bool) -> None:
    leaf: Colour = (34, 92 + rng.randrange(24), 44)
    canvas.rectangle((x - 2, y - 8, x + 2, y + 6), (80, 56, 38))
    tone = _mixed(leaf, (8, 12, 28), 0.7) if night else leaf
    for step in range(3):
        top, half = y - 40 + 10 * step, 7 + 3.5 * step
        canvas.polygon([(x - half, top + 16), (x, top), (x + half, top + 16)], tone)


def _lake(canvas: Canvas, rng: random.Random, night: bool) -> None:
    high, low = ((34, 42, 84), (14, 20, 50)) if night else ((128, 172, 202), (58, 108, 152))
    for y in range(206, SIZE[1], 2):
        canvas.rectangle((0, y, SIZE[0], y + 2), _mixed(high, low, (y - 206) / 54))
    for _ in range(40):
        x, level = rng.uniform(0, SIZE[0]), rng.uniform(210, SIZE[1])
        canvas.line([(x, level), (x + rng.uniform(6, 20), level)], _mixed(high, WHITE, 0.25), 0.6)


def _boat(canvas: Canvas, rng: random.Random, x: float, y: float) -> None:
    hull: Colour = (110 + rng.randrange(40), 50, 40)
    canvas.polygon([(x - 16, y), (x + 16, y), (x + 10, y + 8), (x - 10, y + 8)], hull)
    canvas.polygon([(x, y - 2), (x, y - 30), (x + 13, y - 2)], (245, 242, 232))
    canvas.polygon([(x - 2, y - 2), (x - 2, y - 24), (x - 10, y - 2)], (225, 222, 212))


def _balloon(canvas: Canvas, x: float, y: float, colour: Colour) -> None:
    skirt = [(x - 15, y + 8), (x + 15, y + 8), (x + 4, y + 28), (x - 4, y + 28)]
    canvas.polygon(skirt, _mixed(colour, (0, 0, 0), 0.12))
    canvas.disc((x, y), 17, colour)
    canvas.rectangle((x - 4, y + 32, x + 4, y + 38), (96, 66, 42))
    for side in (-3.5, 3.5):
        canvas.line([(x + side, y + 28), (x + side, y + 32)], (60, 50, 40), 0.7)


def _grain(image: Image.Image, rng: random.Random) -> Image.Image:
    """Add soft film grain, as strong in the three channels."""
    small = (image.width // 2, image.height // 2)
    noise = Image.frombytes("L", small, rng.randbytes(small[0] * small[1])).resize(image.size)
    soft = noise.point([round(value * 14 / 255) for value in range(256)])
    return ImageChops.subtract(image, Image.merge("RGB", (soft, soft, soft)))


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    mix = [round(a + (b - a) * share) for a, b in zip(first, second, strict=True)]
    return mix[0], mix[1], mix[2]
