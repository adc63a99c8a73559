"""SciFIBench's release files, read into questions."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from PIL import Image

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def picture(colour: str = "red") -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(buffer, format="PNG")
    return {"bytes": buffer.getvalue(), "path": None}


def scifibench_row(**changes: Any) -> dict[str, Any]:
    row = {
        "ID": 7,
        "Question": "Which caption best matches the image?",
        "Options": ["A)  one .", "B)  two ."],
        "Answer": "B",
        "Category": "cs.CV",
        "Images": [picture()],
    }
    return {**row, **changes}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def test_real_figure_to_caption_questions_are_read(real_data: Path) -> None:
    """60 questions with five options and one picture each, options without their letters, answers among them."""
    rows = load_rows("scifibench", "cs_fig2cap", "", LocalSource(real_data))
    assert len(rows) == 60
    assert all(row["letters"] == list("ABCDE") and len(row["images"]) == 1 for row in rows)
    assert not any(option.startswith(("A)", "B)")) for row in rows for option in row["options"])
    assert Counter(row["category"] for row in rows)["other cs"] == 18
    assert all(Path(row["images"][0]).is_file() for row in rows)


def test_caption_to_figure_keeps_the_caption_alone(tmp_path: Path) -> None:
    """The release writes caption and closing question in one text; a row has the caption."""
    pictures = [picture(colour) for colour in ("red", "green", "blue", "black", "white")]
    options = [f"{letter}) image{index}" for index, letter in enumerate("ABCDE")]
    question = "Caption: loss over time . Which image best matches the caption?"
    row = scifibench_row(Question=question, Options=options, Images=pictures)
    write(tmp_path / "scifibench/data/General_Caption2Figure-00000-of-00001.parquet", [row])
    (loaded,) = load_rows("scifibench", "general_cap2fig", "", LocalSource(tmp_path))
    assert loaded["question"] == "loss over time ."
    assert len(loaded["images"]) == 5
    colours = [Image.open(path).getpixel((0, 0)) for path in loaded["images"]]
    assert colours[:2] == [(255, 0, 0), (0, 128, 0)]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"Answer": "F"}, "'F'"),
        ({"Options": ["one", "two"]}, "'one'"),
        ({"Options": ["A) one", "A) two"]}, "letters of their own"),
        ({"Images": []}, "1 pictures, found 0"),
        ({"Question": ""}, "to have a text"),
        ({"Images": [{"bytes": None, "path": "x.png"}]}, "Expected a picture"),
        ({"Images": [{"bytes": b"GIF89a nonsense", "path": None}]}, "cannot be decoded"),
    ],
    ids=["answer", "no letters", "same letters", "no picture", "no question", "empty picture", "broken picture"],
)
def test_broken_rows_are_one_error(tmp_path: Path, changes: dict[str, Any], found: str) -> None:
    """A row that cannot be asked is refused by name before the run."""
    write(tmp_path / "scifibench/data/CS_Figure2Caption-00000-of-00001.parquet", [scifibench_row(**changes)])
    with pytest.raises(DataError, match=found):
        load_rows("scifibench", "cs_fig2cap", "", LocalSource(tmp_path))
