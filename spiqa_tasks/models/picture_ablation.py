"""Ablations of pictures: pure functions of the picture and a seed."""

from __future__ import annotations

import base64
import hashlib
import io
import os
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import GREY, on_page, png

KINDS = ("grey", "text", "black", "white", "noise", "mean", "shuffled")
"""`grey` (128 of 255), `black`, `white`: that colour; `mean`: the picture's own mean colour; `noise`: every value of
every pixel drawn uniformly from 0 to 255; each at the picture's size. `text`: no picture. `shuffled`: another
question's pictures."""

_LEVELS = {"grey": GREY, "black": 0, "white": 255}
_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"})
_KEYS = ("url", "image", "image_url", "bytes", "path")


def ablate(picture: Image.Image, kind: str, seed: int = 0) -> Image.Image:
    """Return an RGB picture of the same size without the content (`mean` keeps the mean colour).

    `noise` is seeded by `seed` and the picture's content, so that it depends on neither order nor process.

    Raises:
        ValueError: `text` and `shuffled`, which make no picture from one, or an unknown kind.
    """
    if kind in _LEVELS:
        return Image.new("RGB", picture.size, (_LEVELS[kind],) * 3)
    if kind == "mean":
        red, green, blue = np.asarray(on_page(picture), dtype=np.float64).mean(axis=(0, 1)).round().astype(int).tolist()
        return Image.new("RGB", picture.size, (red, green, blue))
    if kind == "noise":
        generator = np.random.default_rng([seed, int(digest(picture), 16)])
        return Image.fromarray(generator.integers(256, size=(picture.height, picture.width, 3), dtype=np.uint8))
    raise ValueError(f"expected a kind that makes a picture, got {kind!r}")


def digest(picture: Image.Image) -> str:
    """Return the hexadecimal digest of mode, size and pixels."""
    content = f"{picture.mode} {picture.size}".encode() + picture.tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture in any form of the host's tasks, not a video or sound."""
    if isinstance(value, Mapping):
        if value.get("type", "image") not in ("image", "image_url"):
            return False
        return any(is_picture(value[key]) for key in _KEYS if value.get(key) is not None)
    if isinstance(value, str):
        return value.startswith("data:image/") or os.path.splitext(value)[1].lower() in _SUFFIXES
    return isinstance(value, Image.Image | bytes)


def open_value(value: Any) -> Image.Image:
    """Return the lazily decoded picture of a PIL image, path, data URL, encoded bytes or mapping with one of them.

    Raises:
        DataError: an unreadable picture.
        InputError: a web address, which is not fetched.
    """
    if isinstance(value, Image.Image):
        return value
    if isinstance(value, Mapping):
        return open_value(next(value[key] for key in _KEYS if value.get(key) is not None))
    try:
        if isinstance(value, bytes):
            return Image.open(io.BytesIO(value))
        if value.startswith("data:"):
            return Image.open(io.BytesIO(base64.b64decode(value.partition(",")[2], validate=True)))
        if value.startswith(("http://", "https://")):
            raise InputError(f"Expected pictures that are here; found {value}. Use ablation=text, or fetch them first.")
        return Image.open(value.removeprefix("file://"))
    except (UnidentifiedImageError, Base64Error, OSError) as error:
        raise DataError(
            f"Expected a readable picture, found {str(value)[:100]}: {error}. Fetch the data again."
        ) from error


def like(value: Any, picture: Image.Image) -> Any:
    """Return `picture` in the form of `value`: mapping, encoded bytes, data URL, else a PIL image."""
    if isinstance(value, Mapping):
        key = next(key for key in _KEYS if value.get(key) is not None)
        return {**value, key: like(value[key], picture)}
    if isinstance(value, bytes):
        return png(picture)
    if isinstance(value, str) and value.startswith("data:"):
        return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")
    return picture
