"""MMStar's rows, and the options in its questions."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows


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
