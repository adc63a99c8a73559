"""SciFIBench's rows, of four splits and of real questions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scifibench.questions import read_questions
from spiqa_tasks.benchmarks.scifibench.release import caption_length, figure_size, from_table
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.scifibench.variants import (
    caption_similarities,
    marked_letter,
    random_shots,
    shuffled,
    similar_shots,
    with_random_negatives,
)
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import LocalSource, fingerprint


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


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


def test_a_row_has_all_that_is_shown_and_scored(scifibench_release: Path) -> None:
    """A question about a figure, and one about a caption."""
    settings = "prompt=reasoning,ablation=text,mark=correct,ignore=yes"
    row = rows_of(scifibench_release, "general_fig2cap", settings)[3]
    captions = [f"General loss3 of method{option} {' '.join([f'w3x{option}'] * 3)}." for option in range(5)]
    data = fingerprint(list((scifibench_release / "scifibench" / "data").glob("General_Figure2Caption-*")))
    assert row == {
        **{"id": "3", "question": "Which caption best matches the image?"},
        **{"asked": "Which caption best matches the image?", "letters": list("ABCDE"), "options": captions},
        **{"answer": "D", "images": [], "texts": [], "caption": captions[3], "category": "stat"},
        **{"subcategory": "fig2cap", "benchmark": "scifibench", "split": "general_fig2cap", "prompt": "reasoning"},
        **{"marked": "D", "ignore": "yes", "shots": [], "data": data},
        "settings": settings_text(BENCHMARKS["scifibench"].parse(settings)),
    }
    figure = rows_of(scifibench_release, "cs_cap2fig")[4]
    assert (figure["subcategory"], figure["options"], figure["question"]) == ("cap2fig", [""] * 5, figure["caption"])
    assert (len(figure["images"]), figure["marked"]) == (5, "")


def test_marks_and_captions_want_figures(scifibench_release: Path) -> None:
    """Another split is refused, by name."""
    for settings in ("mark=correct", "prompt=caption"):
        with pytest.raises(InputError) as error:
            rows_of(scifibench_release, "cs_cap2fig", settings)
        assert str(error.value) == (
            "Expected a split of figure -> caption for mark=... and prompt=caption; found 'cs_cap2fig'."
        )


def test_ids_of_two_files_name_them(scifibench_release: Path) -> None:
    """A sample of them is drawn by the seed, in the order of the files."""
    rows = rows_of(scifibench_release, "captioning", "prompt=caption")
    names = [f"{subset}_Figure2Caption/{number}" for subset in ("CS", "General") for number in range(14)]
    assert [row["id"] for row in rows] == names
    for seed in (0, 2):
        sample = rows_of(scifibench_release, "captioning", f"prompt=caption,sample=5,seed={seed}")
        places = sorted(random.Random(f"sample#{seed}").sample(range(28), 5))
        assert [row["id"] for row in sample] == [names[place] for place in places]
    for count in (28, 99):
        assert len(rows_of(scifibench_release, "captioning", f"prompt=caption,sample={count}")) == 28


def test_examples_and_marks_depend_on_the_seed(scifibench_release: Path) -> None:
    """Random negatives and orders as well; each is that of its own module."""
    path = next((scifibench_release / "scifibench" / "data").glob("CS_Figure2Caption-*"))
    questions = read_questions([path], "CS_Figure2Caption", fingerprint([path]), False)
    found = rows_of(scifibench_release, "cs_fig2cap", "ablation=text,mark=incorrect,seed=4,shots=2")
    assert [row["marked"] for row in found] == [marked_letter(each, "incorrect", 4) for each in questions]
    drawn = [[each.caption for each in examples] for examples in random_shots(questions, 2, 4)]
    shown = [[dict(zip(s["letters"], s["options"], strict=True))[s["answer"]] for s in row["shots"]] for row in found]
    assert shown == drawn
    near = rows_of(scifibench_release, "cs_fig2cap", "ablation=text,shot_kind=similar,shots=1")
    expected = similar_shots(questions, 1, caption_similarities(questions))
    assert [row["shots"][0]["options"] for row in near] == [list(each[0].options) for each in expected]
    other = rows_of(scifibench_release, "cs_fig2cap", "ablation=text,negatives=random,seed=4,shuffle=2")
    mixed = [shuffled(each, 2) for each in with_random_negatives(questions, 4)]
    assert [row["options"] for row in other] == [list(each.options) for each in mixed]


def test_pictures_may_be_grey(scifibench_release: Path) -> None:
    """Of the size of the real ones, those of examples too."""
    plain = rows_of(scifibench_release, "cs_fig2cap", "shots=1")[0]
    grey = rows_of(scifibench_release, "cs_fig2cap", "shots=1,ablation=grey")[0]
    for before, after in ((plain, grey), (plain["shots"][0], grey["shots"][0])):
        with Image.open(before["images"][0]) as real, Image.open(after["images"][0]) as shown:
            assert (shown.size, shown.convert("RGB").getpixel((0, 0))) == (real.size, (128, 128, 128))


def test_an_encoder_finds_the_nearest_pairs(scifibench_release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name in the settings."""
    asked = []

    def near(questions: Any, checkpoint: str) -> Any:
        asked.append(checkpoint)
        return np.tile(np.arange(len(questions), dtype=float), (len(questions), 1))

    monkeypatch.setattr("spiqa_tasks.benchmarks.scifibench.release.pair_similarities", near)
    rows = rows_of(scifibench_release, "cs_fig2cap", "shots=1,shot_kind=similar,encoder=a/b")
    assert asked == ["a/b"]
    assert rows[0]["shots"][0]["images"][0] == rows[13]["images"][0]


def test_a_tables_question_is_a_row() -> None:
    """As it was asked, whatever the settings would draw from the release."""
    settings = SciFIBenchSettings("reasoning", negatives="random", shuffle=3, shots=2, seed=5)
    options = dict(zip("ABCDE", "vwxyz", strict=True))
    cells = {"id": "7", "question": "Which?", "answer": "B\n", "category": "cs.CV", **options}
    (row,) = from_table([cells], "cs_fig2cap", settings, "d")
    assert row == {
        **{"id": "7", "question": "Which?", "asked": "Which?", "letters": list("ABCDE"), "options": list("vwxyz")},
        **{"answer": "B", "images": [], "texts": [], "caption": "w", "category": "cs.CV", "subcategory": "fig2cap"},
        **{"benchmark": "scifibench", "split": "cs_fig2cap", "prompt": "reasoning", "marked": "", "ignore": "no"},
        **{"shots": [], "settings": settings_text(settings), "data": "d"},
    }
    (row,) = from_table([cells], "captioning", settings, "d")
    assert row["id"] == "7"
