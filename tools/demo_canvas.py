"""The drawing surface of the demo pictures: Pillow at twice the size, one embedded font, small palette PNGs."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]

SCALE = 2
WHITE: Colour = (255, 255, 255)
INK: Colour = (38, 38, 44)
GREY: Colour = (205, 205, 210)
NAMED: dict[str, Colour] = {
    "blue": (0, 114, 178),
    "orange": (230, 140, 0),
    "green": (0, 150, 90),
    "red": (200, 40, 40),
    "purple": (130, 80, 160),
    "yellow": (240, 205, 50),
    "grey": (120, 120, 125),
}
SERIES: tuple[Colour, ...] = tuple(NAMED.values())


class Canvas:
    """A picture of ``width`` x ``height`` pixels; every coordinate is in these pixels, from the top left."""

    def __init__(self, width: int, height: int, background: Colour = WHITE) -> None:
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width * SCALE, height * SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

    def line(self, points: Sequence[Point], colour: Colour = INK, width: float = 1.5) -> None:
        """A polyline."""
        self._draw.line(_scaled(points), fill=colour, width=round(width * SCALE), joint="curve")

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon."""
        self._draw.polygon(_scaled(points), fill=fill)

    def rectangle(self, box: Box, fill: Colour | None = None, outline: Colour | None = None, radius: float = 0) -> None:
        """A rectangle, with rounded corners where ``radius`` is above 0."""
        corners = tuple(value * SCALE for value in box)
        self._draw.rounded_rectangle(corners, radius * SCALE, fill=fill, outline=outline, width=round(1.5 * SCALE))

    def disc(self, centre: Point, radius: float, fill: Colour | None = None, outline: Colour | None = None) -> None:
        """A circle."""
        x, y = centre
        box = tuple(value * SCALE for value in (x - radius, y - radius, x + radius, y + radius))
        self._draw.ellipse(box, fill=fill, outline=outline, width=2 * SCALE)

    def pie(self, centre: Point, radius: float, start: float, end: float, fill: Colour) -> None:
        """A pie slice between two angles in degrees, clockwise from three o'clock."""
        x, y = centre
        box = tuple(value * SCALE for value in (x - radius, y - radius, x + radius, y + radius))
        self._draw.pieslice(box, start, end, fill=fill, outline=WHITE, width=SCALE)

    def arc(self, box: Box, start: float, end: float, colour: Colour = INK, width: float = 3) -> None:
        """An elliptic arc between two angles in degrees, clockwise from three o'clock."""
        corners = tuple(value * SCALE for value in box)
        self._draw.arc(corners, start, end, fill=colour, width=round(width * SCALE))

    def text(self, at: Point, text: str, size: float = 13, colour: Colour = INK, anchor: str = "mm") -> None:
        """Text at a point; ``anchor`` is Pillow's two letters (horizontal, vertical); lines are centred."""
        place = (at[0] * SCALE, at[1] * SCALE)
        self._draw.text(place, text, fill=colour, font=_font(size), anchor=anchor, align="center")

    def vertical_text(self, at: Point, text: str, size: float = 13) -> None:
        """Text centred on a point and read from below."""
        mask = Image.new("L", (round(text_width(text, size) + 6) * SCALE, round(size * 2) * SCALE), 0)
        centre = (mask.width / 2, mask.height / 2)
        ImageDraw.Draw(mask).text(centre, text, fill=255, font=_font(size), anchor="mm")
        mask = mask.rotate(90, expand=True)
        place = (round(at[0] * SCALE - mask.width / 2), round(at[1] * SCALE - mask.height / 2))
        self._image.paste(INK, place, mask)

    def arrow(self, start: Point, end: Point, colour: Colour = INK) -> None:
        """A straight arrow with its head at ``end``."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        sides = (angle + 0.4, angle - 0.4)
        head = [end, *((end[0] - 10 * math.cos(side), end[1] - 10 * math.sin(side)) for side in sides)]
        neck = (end[0] - 8 * math.cos(angle), end[1] - 8 * math.sin(angle))
        self.line([start, neck], colour)
        self.polygon(head, colour)

    def image(self) -> Image.Image:
        """The finished RGB picture at its nominal size."""
        return self._image.reduce(SCALE)


def text_width(text: str, size: float = 13) -> float:
    """The width of one line of text in pixels."""
    return _font(size).getlength(text) / SCALE


def png_bytes(image: Image.Image, colours: int = 40) -> bytes:
    """A palette PNG without any metadata."""
    buffer = io.BytesIO()
    palette = image.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def jpeg_bytes(image: Image.Image) -> bytes:
    """A JPEG without any metadata."""
    buffer = io.BytesIO()
    image.save(buffer, format="JPEG", quality=86, optimize=True)
    return buffer.getvalue()


def _scaled(points: Sequence[Point]) -> list[Point]:
    return [(x * SCALE, y * SCALE) for x, y in points]


def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * SCALE)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("expected a Pillow with FreeType, found one without; install Pillow from a wheel")
    return font
