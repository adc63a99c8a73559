"""Text read out of figures by the real engine, kept in the cache."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from spiqa_tasks.errors import MissingPartError
from spiqa_tasks.vision.ocr import figure_texts


def figure(path: Path, text: str) -> tuple[str, str]:
    """A small picture with a text in large letters."""
    image = Image.new("RGB", (260, 60), "white")
    ImageDraw.Draw(image).text((10, 10), text, fill="black", font=ImageFont.load_default(32))
    image.save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest(), str(path)


def test_engine_reads_a_figure_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is that of the picture; the second time the engine is not needed, for another picture it is."""
    pytest.importorskip("rapidocr")
    pytest.importorskip("onnxruntime")
    known = figure(tmp_path / "a.png", "accuracy 97")
    texts = figure_texts([known, known])
    assert texts[known[0]].lower().split() == ["accuracy", "97"]
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    assert figure_texts([known]) == {known[0]: texts[known[0]]}
    with pytest.raises(MissingPartError, match=r"pip install '\.\[ocr\]'"):
        figure_texts([figure(tmp_path / "c.png", "new")])
