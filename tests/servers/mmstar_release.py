"""MMStar's file in the release's schema, with a few questions of our own whose pictures a host
may show otherwise.
"""

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
    """Noise: transparent, transparent by a palette, in a palette, with 16 bits, grey, and as
    most are.
    """
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, 4), dtype=np.uint8)
    rgba = Image.fromarray(noise)
    rgb, deep = rgba.convert("RGB"), Image.fromarray(noise[..., 0].astype(np.uint16) * 257)
    return [rgba, rgba.quantize(16), rgb.quantize(16), deep, rgb.convert("L"), rgb]


def write_release(folder: Path) -> None:
    """Write `mmstar/mmstar.parquet` below a folder: one question for each of `pictures`."""
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
    """Write `mmstar/mmstar.parquet` with these rows below a folder."""
    (folder / "mmstar").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "mmstar" / "mmstar.parquet")


def write_questions(folder: Path, answers: pd.DataFrame) -> None:
    """Write a release with the questions of a table of answers, as of the authors' submission."""
    columns = {"l2-category": "l2_category", "bench": "source"}
    asked = answers.rename(columns=columns).to_dict("records")
    rows = [
        {name: row[name] for name in ("index", "question", "answer", "category", "l2_category")}
        | {"image": b"", "meta_info": {"source": row.get("source", "")}}
        for row in asked
    ]
    write_rows(folder, rows)
