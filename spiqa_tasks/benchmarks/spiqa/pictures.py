"""The picture that a model sees for a figure: the figure itself, resized to a square, or pure grey."""

from __future__ import annotations

import hashlib
import os

from PIL import Image

from spiqa_tasks.benchmarks.spiqa.settings import SMALL, SpiqaSettings
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.cache_folder import cache_folder
from spiqa_tasks.files.image_ablation import ablated_pictures
from spiqa_tasks.files.pictures import open_picture, save_png

SMALL_FOLDER = f"_Images_{SMALL}"
"""What the names of the release's archives of small pictures end in."""


def shown_picture(path: str, settings: SpiqaSettings) -> str:
    """Return the file to show for a row's picture; written once and kept in the cache.

    Args:
        path: of a row; a picture within an archive (`archive::member`) is extracted first.
        settings: the task's.

    Raises:
        DataError: a picture that cannot be read.
    """
    path = unpacked(path)
    is_small = settings.resolution == SMALL and SMALL_FOLDER in path
    if settings.side is not None and not is_small:
        path = _square(path, settings.side)
    return ablated_pictures([path], settings.ablation)[0]


def _square(path: str, side: int) -> str:
    """The picture as a square of `side` pixels: the released scripts resize so, whatever the picture's shape."""
    status = os.stat(path)
    name = hashlib.sha256(f"{path} {status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[:24]
    square = cache_folder() / f"{side}px" / name[:2] / f"{name}.png"
    if not square.exists():
        save_png(open_picture(path).resize((side, side), Image.Resampling.BICUBIC), square)
    return str(square)
