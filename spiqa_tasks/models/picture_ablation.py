"""Replace pictures by grey ones, in each form in which the host's tasks show them."""

import base64
import io
import os
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Any

from PIL import Image, UnidentifiedImageError

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import GREY, png

# `grey`: a grey picture of the same size; `text`: no picture.
KINDS = ("grey", "text")

_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"})


def replaced(pictures: Sequence[Any], kind: str) -> list[Any]:
    """Return as many grey pictures, in the form of those that they replace; [] for `text`.

    Raises InputError: no picture, such as a video; DataError: see `open_value`.
    """
    for value in pictures:
        if not is_picture(value):
            raise InputError(
                "Expected a task that shows pictures, no video or sound; "
                f"found {str(value)[:100]!r}."
            )
    if kind == "text":
        return []
    return [_grey(value) for value in pictures]


def _grey(value: Image.Image | str) -> Image.Image | str:
    """Return a grey picture of the same size: a data URL for a data URL, else a PIL image."""
    picture = Image.new("RGB", open_value(value).size, (GREY, GREY, GREY))
    if isinstance(value, str) and value.startswith("data:"):
        return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")
    return picture


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture as tasks show them: PIL image, path or data URL."""
    if isinstance(value, str):
        has_suffix = os.path.splitext(value)[1].lower() in _SUFFIXES
        return has_suffix or value.startswith("data:image/")
    return isinstance(value, Image.Image)


def open_value(value: Image.Image | str) -> Image.Image:
    """Return the lazily decoded picture.

    Raises DataError: unreadable, such as a web address, which is not fetched.
    """
    if isinstance(value, Image.Image):
        return value
    try:
        if value.startswith("data:"):
            content = base64.b64decode(value.partition(",")[2], validate=True)
            return Image.open(io.BytesIO(content))
        return Image.open(value.removeprefix("file://"))
    except (UnidentifiedImageError, Base64Error, OSError) as error:
        raise DataError(
            f"Expected a readable picture, found {value[:100]}: {error}. Fetch the data again."
        ) from error
