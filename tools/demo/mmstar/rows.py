"""The demo's MMStar rows: samples in the benchmark's columns, with the options in the question's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drawing.board import jpeg_bytes
from PIL import Image


@dataclass(frozen=True)
class Sample:
    """A question with its right option and three wrong ones."""

    l2_category: str
    image: Image.Image
    question: str
    right: str
    wrong: tuple[str, str, str]


Categories = Mapping[str, tuple[str, list[Sample]]]
"""Core capability -> the right letters of its samples, and the samples.

One letter a category is more frequent than the others; over the whole set the four are about balanced.
"""


def mmstar_rows(categories: Categories) -> list[dict[str, object]]:
    """Return the rows of the demo's parquet file."""
    found: list[dict[str, object]] = []
    for category, (letters, samples) in categories.items():
        for letter, sample in zip(letters, samples, strict=True):
            found.append(_row(len(found), category, letter, sample))
    return found


def _row(index: int, category: str, letter: str, sample: Sample) -> dict[str, object]:
    options = list(sample.wrong)
    options.insert("ABCD".index(letter), sample.right)
    listed = ", ".join(f"{name}: {option}" for name, option in zip("ABCD", options, strict=True))
    path = f"images/demo_{index}.jpg"
    return {
        "index": index,
        "question": f"{sample.question}\nOptions: {listed}",
        "image": {"bytes": jpeg_bytes(sample.image), "path": path},
        "answer": letter,
        "category": category,
        "l2_category": sample.l2_category,
        "meta_info": {"source": "demo", "split": "val", "image_path": path},
    }
