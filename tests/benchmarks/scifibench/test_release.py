"""SciFIBench's rows, of four splits and of real questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scifibench.release import caption_length, figure_size, from_table
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import DataError, InputError
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
    assert entry.parse("negatives=random,shuffle=2,seed=5") == entry.measured(run)
    assert "ablation=none" in settings_text(entry.measured(run))
    assert set(entry.properties) == {"caption_length", "figure_size"}


PLAIN = SciFIBenchSettings()


def cells_of(row: dict[str, Any]) -> dict[str, str]:
    """The row of a table that has a question, as VLMEvalKit writes it."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    return {"id": row["id"], "question": row["question"], "answer": f" {row['answer']}\n", **options} | {
        "category": row["category"],
        "prediction": row["answer"],
    }


@pytest.mark.parametrize("split", ["demo_fig2cap", "demo_cap2fig"])
def test_a_tables_questions_are_scored_as_the_releases(split: str) -> None:
    """The same records come out of both, but for where the data is from."""
    rows = load_rows("scifibench", split, "ablation=text")
    own = from_table([cells_of(row) for row in rows], split, PLAIN, "table x")
    scorer = make_scorer("scifibench", own[0]["settings"], "", None)
    for mine, released in zip(own, rows, strict=True):
        assert mine["images"] == []
        assert mine["data"] == "table x"
        assert mine["subcategory"] == released["subcategory"]
        for text in (released["answer"], "The best one is C.", "none of them"):
            ours, theirs = (scorer.record(row, Response(text)).as_dict() for row in (mine, released))
            assert {**ours, "signature": ""} == {**theirs, "signature": ""}


def test_figures_have_no_text_as_options() -> None:
    """A table of questions about captions leaves the columns A to E out, and a category may be missing."""
    (row,) = from_table([{"id": "7", "question": "q", "answer": "E"}], "cs_cap2fig", PLAIN, "t")
    assert (row["letters"], row["options"]) == (list("ABCDE"), [""] * 5)
    assert (row["answer"], row["category"], row["subcategory"]) == ("E", "", "cap2fig")


@pytest.mark.parametrize("settings", [{"mark": "label"}, {"prompt": "caption"}])
def test_what_needs_the_release_is_refused(settings: dict[str, Any]) -> None:
    """Marks are drawn into the figures, and captions are compared with the true one."""
    with pytest.raises(InputError, match=r"Expected SciFIBench's release .* Fetch it"):
        from_table([{"id": "7", "question": "q", "answer": "E"}], "cs_fig2cap", SciFIBenchSettings(**settings), "t")


def test_an_answer_that_is_no_option_is_named() -> None:
    """With its question."""
    with pytest.raises(DataError, match="question 7 to be one of its options A, B, C, D, E; found 'F'"):
        from_table([{"id": "7", "question": "q", "answer": "F"}], "cs_fig2cap", PLAIN, "t")
