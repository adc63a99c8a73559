"""Pictures made as large as they stand in the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page

SIDES = {"large": 1000, "small": 320}
"""How large pictures are wanted -> the longest side, in pixels."""

QUALITY = 70


def small_pictures(paths: Iterable[str], side: int) -> list[str]:
    """Return pictures as `small_picture` does, in their order."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(partial(small_picture, side=side), paths))


def small_picture(path: str, side: int) -> str:
    """Return a picture as base64 of a WebP file whose longer side has at most so many pixels; empty if unreadable."""
    buffer = io.BytesIO()
    try:
        with Image.open(unpacked(path)) as image:
            image.draft("RGB", (side, side))
            image.thumbnail((side, side))
            on_page(image).save(buffer, "WEBP", quality=QUALITY)
    except (DataError, *UNREADABLE):
        return ""
    return base64.b64encode(buffer.getvalue()).decode()
