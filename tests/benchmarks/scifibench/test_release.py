"""SciFIBench's rows, of four splits and of real questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


def test_captioning_draws_figures_of_both_subsets(scifibench_release: Path) -> None:
    """The sample is seeded, keeps the order of the files, and its ids name the file."""
    drawn = rows_of(scifibench_release, "captioning", "prompt=caption,sample=10")
    assert len({row["id"] for row in drawn}) == 10
    assert {row["id"].partition("/")[0] for row in drawn} == {"CS_Figure2Caption", "General_Figure2Caption"}
    assert drawn == rows_of(scifibench_release, "captioning", "prompt=caption,sample=10")
    assert drawn != rows_of(scifibench_release, "captioning", "prompt=caption,sample=10,seed=1")
    assert len(rows_of(scifibench_release, "captioning", "prompt=caption,sample=100")) == 28
    assert all(row["caption"] in row["options"] for row in drawn)


def test_every_variant_of_the_release_loads_with_or_without_pictures(scifibench_release: Path) -> None:
    """Random negatives and examples need no picture files where none is shown, and are the same as with them."""
    shown = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2")
    blind = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2,ablation=text")
    assert [row["options"] for row in shown] == [row["options"] for row in blind]
    assert all(row["images"] == [] for row in blind)
