"""Pictures made as large as they stand in the page, once each."""

from __future__ import annotations

import base64
import io
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page

SIDES = {"large": 1000, "small": 320}
"""How large pictures are wanted -> the longest side, in pixels."""

QUALITY = 70


class Thumbnails:
    """The pictures of a page, in the order in which they were first asked for."""

    def __init__(self, side: int = SIDES["large"]) -> None:
        self._side, self._places = side, dict[str, int]()

    def place(self, path: str) -> int:
        """Return the picture's number from 0."""
        return self._places.setdefault(path, len(self._places))

    def made(self) -> list[str]:
        """Return the pictures as base64 of WebP files, in their order; empty where one cannot be read."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(partial(small_picture, side=self._side), self._places))


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
