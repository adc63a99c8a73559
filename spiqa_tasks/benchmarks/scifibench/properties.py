"""What is measured of a question, for accuracy against it (section 4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings


def caption_length(row: Mapping[str, Any]) -> float:
    """Return the length of the true caption in words."""
    return float(len(row["caption"].split()))


def figure_size(row: Mapping[str, Any]) -> float:
    """Return the mean size of the figures in pixels (area)."""
    sizes = []
    for path in row["images"]:
        with Image.open(path) as image:
            sizes.append(image.width * image.height)
    return sum(sizes) / len(sizes)


PROPERTIES: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "caption_length": caption_length,
    "figure_size": figure_size,
}


def measured(settings: SciFIBenchSettings) -> SciFIBenchSettings:
    """Return the settings with the pictures as released, whatever the run showed."""
    return SciFIBenchSettings(negatives=settings.negatives, shuffle=settings.shuffle, seed=settings.seed)
