"""The demo's SciFIBench rows: five captions for a figure, or five figures for a caption, all of one family."""

from __future__ import annotations

import random
from collections.abc import Callable

from drawing.board import png_bytes
from PIL import Image
from scifibench.families import FAMILIES, Variant

LETTERS = "ABCDE"


def figure_to_caption() -> list[dict[str, object]]:
    """Rows with one figure and five captions, one row for each family."""
    found = []
    for index, (category, family) in enumerate(FAMILIES):
        answer = _answer(index, shift=0)
        variants = _variants(family, f"figure to caption {index}")
        options = [f"{letter})  {caption}" for letter, (caption, _) in zip(LETTERS, variants, strict=True)]
        picture = variants[LETTERS.index(answer)][1]
        question = "Which caption best matches the image?"
        found.append(_row(index, question, options, answer, category, [picture]))
    return found


def caption_to_figure() -> list[dict[str, object]]:
    """Rows with one caption, in the question, and five figures, one row for each family."""
    found = []
    for index, (category, family) in enumerate(FAMILIES):
        answer = _answer(index, shift=3)
        variants = _variants(family, f"caption to figure {index}")
        caption = variants[LETTERS.index(answer)][0]
        options = [f"{letter})" for letter in LETTERS]
        question = f"Caption: {caption} Which image best matches the caption?"
        pictures = [image for _, image in variants]
        found.append(_row(len(FAMILIES) + index, question, options, answer, category, pictures))
    return found


def _answer(index: int, shift: int) -> str:
    """The letters in turn, in an order without a visible pattern."""
    return LETTERS[(index * 3 + index // 5 + shift) % 5]


def _variants(family: Callable[[random.Random], Variant], seed: str) -> list[Variant]:
    """Five members of a family, no two with the same caption."""
    rng = random.Random(seed)
    found: dict[str, Image.Image] = {}
    while len(found) < len(LETTERS):
        caption, image = family(rng)
        found.setdefault(caption, image)
    return list(found.items())


def _row(
    index: int, question: str, options: list[str], answer: str, category: str, pictures: list[Image.Image]
) -> dict[str, object]:
    return {
        "ID": index,
        "Question": question,
        "Options": options,
        "Answer": answer,
        "Category": category,
        "Images": [
            {"bytes": png_bytes(picture), "path": f"image_{index}_{rank}.png"} for rank, picture in enumerate(pictures)
        ],
    }
