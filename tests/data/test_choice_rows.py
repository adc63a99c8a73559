"""Rows of the two multiple-choice benchmarks."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from PIL import Image

from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.errors import DataError


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


def test_missing_shard_and_missing_column_and_no_parquet_are_errors(tmp_path: Path) -> None:
    """Incomplete or foreign files are refused, each with its own sentence."""
    path = tmp_path / "scifibench/data/CS_Figure2Caption-00000-of-00002.parquet"
    write(path, [scifibench_row()])
    with pytest.raises(DataError, match="whole set of parquet shards"):
        load_rows("scifibench", "cs_fig2cap", "", LocalSource(tmp_path))
    path.unlink()
    write(path.with_name("CS_Figure2Caption-00000-of-00001.parquet"), [{"ID": 1}])
    with pytest.raises(DataError, match="no Question, Options"):
        load_rows("scifibench", "cs_fig2cap", "", LocalSource(tmp_path))
    path.with_name("CS_Figure2Caption-00000-of-00001.parquet").write_text("no parquet")
    with pytest.raises(DataError, match="to be a parquet file"):
        load_rows("scifibench", "cs_fig2cap", "", LocalSource(tmp_path))


def test_options_of_every_real_mmstar_question_are_read(real_data: Path) -> None:
    """Both forms of the release give letters that hold the answer, and texts that stand in the question."""
    lines = (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines()
    for record in map(json.loads, lines):
        options = read_options(record["question"])
        assert record["answer"] in options, record
        assert list(options) == list("ABCDEFGH")[: len(options)]
        assert all(text and text in record["question"] for text in options.values()), record


def test_question_of_unknown_form_still_has_four_letters() -> None:
    """Where options cannot be read, letters can be matched all the same."""
    assert read_options("What is this?") == {"A": "", "B": "", "C": "", "D": ""}


def test_grey_pictures_have_the_size_of_the_real_ones() -> None:
    """The ablation replaces every picture by a pure grey one of its size, and the text ablation has none."""
    real = load_rows("mmstar", "demo", "prompt=letter")
    grey = load_rows("mmstar", "demo", "ablation=grey")
    text = load_rows("mmstar", "demo", "ablation=text")
    for one, other, none in zip(real, grey, text, strict=True):
        with Image.open(one["images"][0]) as before, Image.open(other["images"][0]) as after:
            assert before.size == after.size
            assert after.getextrema() == ((128, 128),) * 3
        assert none["images"] == []
        assert one["question"] == other["question"] == none["question"]
