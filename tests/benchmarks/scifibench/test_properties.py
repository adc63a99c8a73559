"""What is measured of a SciFIBench question."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scifibench.properties import caption_length, figure_size, measured
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.files.source import LocalSource


def test_captions_are_measured_in_words_and_figures_in_pixels(scifibench_release: Path) -> None:
    """The stand-in release has captions of 4 + n words and pictures of 60 - n by 20."""
    for row in load_rows("scifibench", "general_fig2cap", "", LocalSource(scifibench_release))[3:]:
        number = int(row["id"])
        assert caption_length(row) == len(row["caption"].split()) == 4 + number
        assert figure_size(row) == (60 - number) * 20


def test_the_size_of_several_figures_is_their_mean(tmp_path: Path) -> None:
    """Two pictures of 10 and 30 pixels are 20."""
    for name, size in (("a", (5, 2)), ("b", (5, 6))):
        Image.new("RGB", size).save(tmp_path / f"{name}.png")
    assert figure_size({"images": [str(tmp_path / "a.png"), str(tmp_path / "b.png")]}) == 20


def test_questions_are_measured_as_they_were_asked_but_with_their_pictures() -> None:
    """Negatives, order and seed stay; pictures are the released ones whatever the run showed."""
    entry = BENCHMARKS["scifibench"]
    run = entry.parse("negatives=random,shuffle=2,seed=5,ablation=grey,prompt=reasoning,shots=2")
    assert entry.parse("negatives=random,shuffle=2,seed=5") == measured(run)
    assert "ablation=none" in settings_text(measured(run))
    assert set(entry.properties) == {"caption_length", "figure_size"}
