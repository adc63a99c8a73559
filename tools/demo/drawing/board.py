"""What all pictures share: matplotlib with one style, sizes in pixels, and files without metadata."""

from __future__ import annotations

import io

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

DPI = 100
POINT = 72 / DPI
"""The size of a pixel in points, the unit of matplotlib's lines, markers and fonts."""

INK = "#26262c"
NAMED = {
    "blue": "#0072b2",
    "orange": "#e68c00",
    "green": "#00965a",
    "red": "#c82828",
    "purple": "#8250a0",
    "yellow": "#f0cd32",
    "grey": "#78787d",
}
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": INK,
    "axes.prop_cycle": matplotlib.cycler(color=list(NAMED.values())),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#d8d8dc",
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def chart_axes(width: float, height: float, **settings: object) -> Axes:
    """Return the axes of a chart, laid out so that its labels fit in the picture."""
    return _figure(width, height, layout="constrained").add_subplot(**settings)


def board(width: float, height: float, background: str = "white") -> Axes:
    """Return axes that fill a picture; their unit is a pixel, counted from the top left."""
    axes = _figure(width, height, facecolor=background).add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    return axes


def _figure(width: float, height: float, **settings: str) -> Figure:
    """Return an empty picture of so many pixels; what a user's matplotlibrc says has no influence."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    return Figure((width / DPI, height / DPI), DPI, **settings)


def picture(axes: Axes) -> Image.Image:
    """Return the picture that the axes lie in, as RGB."""
    canvas = FigureCanvasAgg(axes.get_figure(root=True))
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def png_bytes(image: Image.Image, colours: int = 64) -> bytes:
    """Return a palette PNG without any metadata."""
    buffer = io.BytesIO()
    palette = image.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def jpeg_bytes(image: Image.Image) -> bytes:
    """Return a JPEG without any metadata."""
    buffer = io.BytesIO()
    image.save(buffer, format="JPEG", quality=86, optimize=True)
    return buffer.getvalue()
