"""Pictures made small, once each, as they stand in the page."""

from __future__ import annotations

import base64
import io
from concurrent.futures import ThreadPoolExecutor

from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page

SIDE = 256
"""The longest side, in pixels."""

QUALITY = 60


class Thumbnails:
    """The pictures of a page, in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, path: str) -> int:
        """Return the picture's number from 0."""
        return self._places.setdefault(path, len(self._places))

    def made(self) -> list[str]:
        """Return the pictures as base64 of WebP files, in their order; empty where one cannot be read."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(small_picture, self._places))


def small_picture(path: str, side: int = SIDE) -> str:
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
