"""MMStar's file in the release's schema, with questions and pictures of our own."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from spiqa_tasks.benchmarks.mmstar.definition import CATEGORIES


def pictures() -> list[Image.Image]:
    """Return noise in six modes, most of which hosts convert: RGBA, a palette with and without
    transparency, 16 bits, grey, RGB.
    """
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, 4), dtype=np.uint8)
    rgba = Image.fromarray(noise)
    rgb = rgba.convert("RGB")
    sixteen_bits = Image.fromarray(noise[..., 0].astype(np.uint16) * 257)
    return [rgba, rgba.quantize(16), rgb.quantize(16), sixteen_bits, rgb.convert("L"), rgb]


def write_release(folder: Path) -> None:
    """Write `mmstar/mmstar.parquet` below a folder, with a question for each of `pictures`."""
    rows = []
    for index, (picture, category) in enumerate(zip(pictures(), CATEGORIES, strict=True)):
        buffer = io.BytesIO()
        picture.save(buffer, format="PNG")
        rows.append(
            {
                "index": index,
                "question": (
                    f"What is picture {index}?\nOptions: A: noise, B: a word, C: a cat, D: a line"
                ),
                "image": buffer.getvalue(),
                "answer": "ABCD"[index % 4],
                "category": category,
                "l2_category": category,
            }
        )
    write_rows(folder, rows)


def write_rows(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as `mmstar/mmstar.parquet` below a folder."""
    (folder / "mmstar").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "mmstar" / "mmstar.parquet")


def write_questions(folder: Path, answers: pd.DataFrame) -> None:
    """Write a release with the questions of a table of answers, such as the authors' submission."""
    columns = {"l2-category": "l2_category", "bench": "source"}
    asked = answers.rename(columns=columns).to_dict("records")
    rows = [
        {name: row[name] for name in ("index", "question", "answer", "category", "l2_category")}
        | {"image": b"", "meta_info": {"source": row.get("source", "")}}
        for row in asked
    ]
    write_rows(folder, rows)
