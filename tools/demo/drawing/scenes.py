"""Photograph-like scenes: hills, houses, trees, balloons and boats, counted exactly, with film grain."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from drawing.board import NAMED, board, picture
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Circle, Polygon, Rectangle
from PIL import Image, ImageChops, ImageFilter

WIDTH, HEIGHT = 400, 260
ROOFS = ("#a53e30", "#8c4632", "#78343c")


def scene(
    seed: int,
    *,
    houses: int = 0,
    trees: int = 0,
    boats: int = 0,
    balloons: Sequence[str] = (),
    night: bool = False,
) -> Image.Image:
    """Return a landscape with so many houses, trees and boats, and a balloon for each colour name; none overlap."""
    rng = random.Random(seed)
    axes = board(WIDTH, HEIGHT)
    _sky(axes, rng, night)
    if not balloons:
        axes.add_patch(Circle((rng.uniform(300, 370), 36), 17, color="#f0eed6" if night else "#fff0aa"))
    for level, height in ((0.52, 34), (0.62, 24), (0.72, 14)):
        _hill(axes, rng, level, height, night)
    for x in _slots(rng, houses):
        _house(axes, rng, x, 176 + rng.uniform(-6, 10), night)
    if boats:
        _lake(axes, rng, night)
    for x in _slots(rng, boats):
        _boat(axes, rng, x, 226 + rng.uniform(-9, 12))
    for x in _slots(rng, trees):
        _tree(axes, rng, x, (205 if boats else 238) + rng.uniform(-6, 6), night)
    for x, name in zip(_slots(rng, len(balloons)), balloons, strict=True):
        _balloon(axes, x, 48 + rng.uniform(-14, 28), NAMED[name])
    return _grain(picture(axes), rng)


def blurred(image: Image.Image) -> Image.Image:
    """Return the same picture out of focus."""
    return image.filter(ImageFilter.GaussianBlur(5))


def _slots(rng: random.Random, count: int) -> list[float]:
    """Return places from left to right, evenly spaced but for a little jitter."""
    width = WIDTH / max(count, 1)
    return [width * (place + 0.5) + rng.uniform(-0.14, 0.14) * width for place in range(count)]


def _sky(axes: Axes, rng: random.Random, night: bool) -> None:
    _gradient(axes, 0, 150, *(("#0c1230", "#3a3e68") if night else ("#5490d0", "#e2e8ec")))
    if night:
        for _ in range(60):
            place = (rng.uniform(0, WIDTH), rng.uniform(0, 120))
            axes.add_patch(Circle(place, rng.uniform(0.5, 1.3), color="#ebebd7"))


def _hill(axes: Axes, rng: random.Random, level: float, height: float, night: bool) -> None:
    waves = [(rng.uniform(0.5, 1), rng.uniform(0.006, 0.02), rng.uniform(0, 6.3)) for _ in range(3)]
    x = np.arange(0, WIDTH + 4, 4)
    swing = sum(size * np.sin(x * rate + phase) for size, rate, phase in waves) / 3
    tone = _mixed("#8aa08c", "#487a3a", (level - 0.52) * 5)
    axes.fill_between(x, HEIGHT * level - height * swing, HEIGHT, color=_mixed(tone, "#0a0e22", 0.75 * night))


def _house(axes: Axes, rng: random.Random, x: float, y: float, night: bool) -> None:
    _block(axes, x - 15, y, 30, 24, _mixed("#ece0c8", "#1e1e32", 0.6 * night))
    axes.add_patch(Polygon([(x - 19, y), (x, y - 17), (x + 19, y)], color=rng.choice(ROOFS)))
    _block(axes, x - 9, y + 6, 7, 7, "#ffd660" if night else "#465a6e")
    _block(axes, x + 4, y + 9, 7, 15, "#5c3e2c")


def _tree(axes: Axes, rng: random.Random, x: float, y: float, night: bool) -> None:
    tone = _mixed(_mixed("#225c2c", "#22742c", rng.random()), "#080c1c", 0.7 * night)
    _block(axes, x - 2, y - 8, 4, 14, "#503826")
    for step in range(3):
        top, half = y - 40 + 10 * step, 7 + 3.5 * step
        axes.add_patch(Polygon([(x - half, top + 16), (x, top), (x + half, top + 16)], color=tone))


def _lake(axes: Axes, rng: random.Random, night: bool) -> None:
    high, low = ("#222a54", "#0e1432") if night else ("#80acca", "#3a6c98")
    _gradient(axes, 206, HEIGHT, high, low)
    for _ in range(40):
        x, y = rng.uniform(0, WIDTH), rng.uniform(210, HEIGHT)
        axes.plot((x, x + rng.uniform(6, 20)), (y, y), color=_mixed(high, "white", 0.25), linewidth=0.5, zorder=1)


def _boat(axes: Axes, rng: random.Random, x: float, y: float) -> None:
    hull = [(x - 16, y), (x + 16, y), (x + 10, y + 8), (x - 10, y + 8)]
    axes.add_patch(Polygon(hull, color=_mixed("#6e3228", "#963228", rng.random())))
    axes.add_patch(Polygon([(x, y - 2), (x, y - 30), (x + 13, y - 2)], color="#f5f2e8"))
    axes.add_patch(Polygon([(x - 2, y - 2), (x - 2, y - 24), (x - 10, y - 2)], color="#e1ded4"))


def _balloon(axes: Axes, x: float, y: float, colour: str) -> None:
    skirt = [(x - 15, y + 8), (x + 15, y + 8), (x + 4, y + 28), (x - 4, y + 28)]
    axes.add_patch(Polygon(skirt, color=_mixed(colour, "black", 0.12)))
    axes.add_patch(Circle((x, y), 17, color=colour))
    _block(axes, x - 4, y + 32, 8, 6, "#604228")
    for side in (-3.5, 3.5):
        axes.plot((x + side, x + side), (y + 28, y + 32), color="#3c3228", linewidth=0.6)


def _block(axes: Axes, x: float, y: float, width: float, height: float, colour: str) -> None:
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour))


def _gradient(axes: Axes, top: float, bottom: float, high: str, low: str) -> None:
    """Fill the whole width from `top` to `bottom`, from one colour to the other."""
    colours = [[to_rgb(_mixed(high, low, share))] for share in np.linspace(0, 1, 64)]
    axes.imshow(colours, extent=(0, WIDTH, bottom, top), aspect="auto", interpolation="bilinear", zorder=1)
    axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))


def _grain(image: Image.Image, rng: random.Random) -> Image.Image:
    """Add soft film grain, as strong in the three channels."""
    small = (image.width // 2, image.height // 2)
    noise = Image.frombytes("L", small, rng.randbytes(small[0] * small[1])).resize(image.size)
    soft = noise.point([round(value * 14 / 255) for value in range(256)])
    return ImageChops.subtract(image, Image.merge("RGB", (soft, soft, soft)))


def _mixed(first: str, second: str, share: float) -> str:
    return to_hex((1 - share) * np.array(to_rgb(first)) + share * np.array(to_rgb(second)))
