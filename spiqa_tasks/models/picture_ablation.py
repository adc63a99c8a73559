"""Ablations of pictures: what replaces those of a document, in any form in which the host's tasks show them."""

import base64
import hashlib
import io
import os
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import GREY, on_page, png

KINDS = ("grey", "text", "black", "white", "noise", "mean")
"""`grey` (128 of 255), `black`, `white`: that colour; `mean`: the picture's own mean colour; `noise`: every value of
every pixel drawn uniformly from 0 to 255; each at the picture's size. `text`: no picture."""

_LEVELS = {"grey": GREY, "black": 0, "white": 255}
_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"})


def ablate(picture: Image.Image, kind: str, seed: int = 0) -> Image.Image:
    """Return an RGB picture of the same size without the content; noise depends on `seed` and the picture alone."""
    if kind in _LEVELS:
        return Image.new("RGB", picture.size, (_LEVELS[kind],) * 3)
    if kind == "mean":
        red, green, blue = (
            np.asarray(on_page(picture), dtype=np.float64)
            .mean(axis=(0, 1))
            .round()
            .astype(int)
            .tolist()
        )
        return Image.new("RGB", picture.size, (red, green, blue))
    generator = np.random.default_rng([seed, int(digest(picture), 16)])
    return Image.fromarray(
        generator.integers(256, size=(picture.height, picture.width, 3), dtype=np.uint8)
    )


def digest(picture: Image.Image) -> str:
    """Return the hexadecimal digest of mode, size and pixels."""
    content = f"{picture.mode} {picture.size}".encode() + picture.tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


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


def replaced(pictures: Sequence[Any], kind: str, seed: int) -> list[Any]:
    """Return as many pictures ([] for `text`), each in the form of the one that it replaces.

    Raises InputError: no picture, such as a video; DataError: see `open_value`.
    """
    for value in pictures:
        if not is_picture(value):
            raise InputError(
                f"Expected a task that shows pictures, no video or sound; found {str(value)[:100]!r}."
            )
    return (
        []
        if kind == "text"
        else [like(value, ablate(open_value(value), kind, seed)) for value in pictures]
    )
