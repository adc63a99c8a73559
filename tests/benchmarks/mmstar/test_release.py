"""Rows and settings of MMStar."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.mmstar.release import (
    MMStarSettings,
    load,
    read_options,
)
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource, fingerprint


def test_options_of_every_real_mmstar_question_are_read(real_data: Path) -> None:
    """Both forms of the release give letters that hold the answer, and texts that stand in the
    question.
    """
    lines = (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines()
    for record in map(json.loads, lines):
        options = read_options(record["question"])
        assert record["answer"] in options, record
        assert list(options) == list("ABCDEFGH")[: len(options)]
        assert all(text and text in record["question"] for text in options.values()), record


def encoded(size: tuple[int, int] = (8, 6)) -> bytes:
    """A red picture as a PNG."""
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, format="PNG")
    return buffer.getvalue()


RECORD: dict[str, Any] = {
    "index": 3,
    "question": "Which?\nOptions: A: red, B: blue",
    "image": encoded(),
    "answer": "B",
    "category": "math",
    "l2_category": "geometry",
    "meta_info": {"source": "SEED"},
}
ROW = {
    **{
        "id": "3",
        "question": RECORD["question"],
        "letters": ["A", "B"],
        "options": ["red", "blue"],
        "answer": "B",
    },
    **{
        "category": "math",
        "subcategory": "geometry",
        "source": "SEED",
        "benchmark": "mmstar",
        "split": "val",
    },
}


def release(folder: Path, **cells: Any) -> LocalSource:
    """A release of one question with other cells."""
    (folder / "mmstar").mkdir(exist_ok=True)
    record = {key: value for key, value in {**RECORD, **cells}.items() if value != "left out"}
    pq.write_table(pa.Table.from_pylist([record]), folder / "mmstar" / "mmstar.parquet")
    return LocalSource(folder)


def test_a_question_of_the_release_is_a_row(tmp_path: Path) -> None:
    """With its picture in the cache, a grey one, or none."""
    source = release(tmp_path)
    data = fingerprint([tmp_path / "mmstar" / "mmstar.parquet"])
    for ablation in ("none", "grey", "text"):
        settings = MMStarSettings("select", ablation)  # type: ignore[arg-type]
        (row,) = load(source, "val", settings)
        images = row.pop("images")
        assert row == {**ROW, "prompt": "select", "settings": settings_text(settings), "data": data}
        assert len(images) == (ablation != "text")
        for path in images:
            with Image.open(path) as image:
                colour = (255, 0, 0) if ablation == "none" else (128, 128, 128)
                assert (image.size, image.convert("RGB").getpixel((0, 0))) == ((8, 6), colour)
            assert ablation == "grey" or f"mmstar-{data}" in path


def test_copies_may_lack_the_source(tmp_path: Path) -> None:
    """The column, or the name in it."""
    for meta in ("left out", None, {"source": None}, {"x": 1}):
        (row,) = load(release(tmp_path, meta_info=meta), "val", MMStarSettings(ablation="text"))
        assert row["source"] == ""


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"answer": "C"}, "the answer of question 3 to be one of its options A, B; found 'C'"),
        ({"image": b"GIF89a"}, "cannot be decoded"),
        ({"image": None}, "row 3 of mmstar.parquet"),
    ],
)
def test_a_release_that_is_broken_is_refused(
    tmp_path: Path, cells: dict[str, Any], said: str
) -> None:
    """Before anything is asked."""
    with pytest.raises(DataError, match=re.escape(said)):
        load(release(tmp_path, **cells), "val", MMStarSettings())
