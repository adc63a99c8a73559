"""What a visual ablation puts in the place of a picture (MMStar paper, section 5.1: pure grey images)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PIL import Image

from spiqa_tasks.files.cache_folder import cache_folder
from spiqa_tasks.files.pictures import save_png

Ablation = Literal["none", "grey", "text"]
GREY = 128
"""The grey value, 0 to 255, of all three channels."""


def ablated_pictures(paths: Sequence[str], ablation: Ablation) -> list[str]:
    """Return the pictures to show: the same ones, or with `grey` grey ones of the same size."""
    return [_grey(path) for path in paths] if ablation == "grey" else list(paths)


def _grey(path: str) -> str:
    with Image.open(path) as image:
        size = image.size
    grey = cache_folder() / "grey" / f"{size[0]}x{size[1]}-{GREY}.png"
    if not grey.exists():
        save_png(Image.new("RGB", size, (GREY, GREY, GREY)), grey)
    return str(grey)
