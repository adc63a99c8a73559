"""A picture that is sent as the file it is.

The host's API classes encode every picture they are given: PIL images again in every question, paths once per file
while it stays in a cache of 256. Both decode and compress a PNG only to get a PNG. An `EncodedPicture` is a PIL image
that knows its own encoding: asked to save itself as PNG it copies the file's bytes, and it is decoded only for those
who look at its pixels.
"""

from __future__ import annotations

import io
import os
from functools import lru_cache
from typing import Any

from PIL import Image, PngImagePlugin

from spiqa_tasks.files.pictures import is_on_page, open_picture, png

KEPT = 128
"""Files whose bytes are kept in memory; the figures of a paper are used in consecutive questions."""


class EncodedPicture(PngImagePlugin.PngImageFile):
    """A PNG whose `save(..., format="PNG")` copies the bytes that it was read from; copy it before drawing on it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        super().__init__(io.BytesIO(content))

    def save(self, fp: Any, format: str | None = None, **params: Any) -> None:
        """Copy the encoded bytes where PNG without options is asked for, else encode as PIL does."""
        if format == "PNG" and not params and hasattr(fp, "write"):
            fp.write(self._content)
        else:
            super().save(fp, format, **params)


def encoded_picture(path: str) -> EncodedPicture:
    """Return the picture of a file as `open_picture` does: an opaque PNG as it is, others encoded once as PNG."""
    return EncodedPicture(_png(path, os.stat(path).st_mtime_ns))


@lru_cache(maxsize=KEPT)
def _png(path: str, modified: int) -> bytes:  # noqa: ARG001 - a changed file is another entry
    with Image.open(path) as image:
        is_as_it_should = image.format == "PNG" and is_on_page(image)
    if is_as_it_should:
        with open(path, "rb") as file:
            return file.read()
    return png(open_picture(path))
