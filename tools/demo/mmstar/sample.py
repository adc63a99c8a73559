"""What a demo sample of MMStar is."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image


@dataclass(frozen=True)
class Sample:
    """A question with its right option and three wrong ones."""

    l2_category: str
    image: Image.Image
    question: str
    right: str
    wrong: tuple[str, str, str]
