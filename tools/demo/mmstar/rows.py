"""The demo's MMStar rows: the samples in the benchmark's columns, with the options in the question's text."""

from __future__ import annotations

from drawing.board import jpeg_bytes
from mmstar.perception import coarse_samples, fine_samples, instance_samples
from mmstar.reasoning import logical_samples, math_samples, science_samples
from mmstar.sample import Sample

# One letter a category is more frequent than the others; over the whole set the four are about balanced.
CATEGORIES = {
    "coarse perception": ("AABC", coarse_samples),
    "fine-grained perception": ("BCBD", fine_samples),
    "instance reasoning": ("CDCA", instance_samples),
    "logical reasoning": ("DADB", logical_samples),
    "science & technology": ("ABAD", science_samples),
    "math": ("CBCA", math_samples),
}


def mmstar_rows() -> list[dict[str, object]]:
    """The rows of the demo's parquet file, four for each of the six categories."""
    found: list[dict[str, object]] = []
    for category, (letters, samples) in CATEGORIES.items():
        for letter, sample in zip(letters, samples(), strict=True):
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
