"""Ablations of pictures: what replaces those of a document, in any form in which the host's tasks show them."""

import base64
import io
import os
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Any

from PIL import Image, UnidentifiedImageError

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import GREY, png

KINDS = ("grey", "text")
"""`grey`: a grey picture of the same size; `text`: no picture."""

_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"})


def grey(picture: Image.Image) -> Image.Image:
    """Return a grey RGB picture of the same size."""
    return Image.new("RGB", picture.size, (GREY,) * 3)


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture as the host's tasks show them: PIL image, path or data URL."""
    if isinstance(value, str):
        return value.startswith("data:image/") or os.path.splitext(value)[1].lower() in _SUFFIXES
    return isinstance(value, Image.Image)


def open_value(value: Image.Image | str) -> Image.Image:
    """Return the lazily decoded picture. Raises DataError: unreadable, such as a web address, which is not fetched."""
    if isinstance(value, Image.Image):
        return value
    try:
        if value.startswith("data:"):
            return Image.open(io.BytesIO(base64.b64decode(value.partition(",")[2], validate=True)))
        return Image.open(value.removeprefix("file://"))
    except (UnidentifiedImageError, Base64Error, OSError) as error:
        raise DataError(
            f"Expected a readable picture, found {value[:100]}: {error}. Fetch the data again."
        ) from error


def like(value: Any, picture: Image.Image) -> Any:
    """Return `picture` in the form of `value`: data URL, else a PIL image."""
    if isinstance(value, str) and value.startswith("data:"):
        return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")
    return picture


def replaced(pictures: Sequence[Any], kind: str) -> list[Any]:
    """Return as many pictures ([] for `text`), each in the form of the one that it replaces.

    Raises InputError: no picture, such as a video; DataError: see `open_value`.
    """
    for value in pictures:
        if not is_picture(value):
            raise InputError(
                f"Expected a task that shows pictures, no video or sound; found {str(value)[:100]!r}."
            )
    return [] if kind == "text" else [like(value, grey(open_value(value))) for value in pictures]
