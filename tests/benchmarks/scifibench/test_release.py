"""SciFIBench's rows, of four splits and of real questions."""

import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from release_rows import rows_in

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scifibench.release import (
    SciFIBenchSettings,
    caption_length,
    figure_size,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import LocalSource, fingerprint


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return rows_in("scifibench", split, settings, LocalSource(folder))


def test_every_variant_of_the_release_loads_with_or_without_pictures(
    scifibench_release: Path,
) -> None:
    """Random negatives and examples need no picture files where none is shown, and are the same
    as with them.
    """
    shown = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2")
    blind = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2,ablation=text")
    assert [row["options"] for row in shown] == [row["options"] for row in blind]
    assert all(row["images"] == [] for row in blind)


def test_captions_are_measured_in_words_and_figures_in_pixels(scifibench_release: Path) -> None:
    """The stand-in release has captions of 4 + n words and pictures of 60 - n by 20."""
    for row in rows_in("scifibench", "general_fig2cap", "", LocalSource(scifibench_release))[3:]:
        number = int(row["id"])
        assert caption_length(row) == len(row["caption"].split()) == 4 + number
        assert figure_size(row) == (60 - number) * 20


PLAIN = SciFIBenchSettings()


def cells_of(row: dict[str, Any]) -> dict[str, str]:
    """The row of a table that has a question, as VLMEvalKit writes it."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    return {
        "id": row["id"],
        "question": row["question"],
        "answer": f" {row['answer']}\n",
        **options,
    } | {
        "category": row["category"],
        "prediction": row["answer"],
    }


def test_a_row_has_all_that_is_shown_and_scored(scifibench_release: Path) -> None:
    """A question about a figure, and one about a caption."""
    settings = "prompt=reasoning,ablation=text,mark=correct,ignore=yes"
    row = rows_of(scifibench_release, "general_fig2cap", settings)[3]
    captions = [
        f"General loss3 of method{option} {' '.join([f'w3x{option}'] * 3)}." for option in range(5)
    ]
    data = fingerprint(
        list((scifibench_release / "scifibench" / "data").glob("General_Figure2Caption-*"))
    )
    assert row == {
        **{"id": "3", "question": "Which caption best matches the image?"},
        **{
            "asked": "Which caption best matches the image?",
            "letters": list("ABCDE"),
            "options": captions,
        },
        **{"answer": "D", "images": [], "texts": [], "caption": captions[3], "category": "stat"},
        **{
            "subcategory": "fig2cap",
            "benchmark": "scifibench",
            "split": "general_fig2cap",
            "prompt": "reasoning",
        },
        **{"marked": "D", "ignore": "yes", "shots": [], "data": data},
        "settings": settings_text(BENCHMARKS["scifibench"].parse(settings)),
    }
    figure = rows_of(scifibench_release, "cs_cap2fig")[4]
    assert (figure["subcategory"], figure["options"], figure["question"]) == (
        "cap2fig",
        [""] * 5,
        figure["caption"],
    )
    assert (len(figure["images"]), figure["marked"]) == (5, "")


def test_marks_and_captions_want_figures(scifibench_release: Path) -> None:
    """Another split is refused, by name."""
    for settings in ("mark=correct", "prompt=caption"):
        with pytest.raises(InputError) as error:
            rows_of(scifibench_release, "cs_cap2fig", settings)
        assert (
            str(error.value)
            == "Expected a split of figure -> caption for mark=... and prompt=caption; found"
            " 'cs_cap2fig'."
        )


def test_ids_of_two_files_name_them(scifibench_release: Path) -> None:
    """A sample of them is drawn by the seed, in the order of the files."""
    rows = rows_of(scifibench_release, "captioning", "prompt=caption")
    names = [
        f"{subset}_Figure2Caption/{number}" for subset in ("CS", "General") for number in range(14)
    ]
    assert [row["id"] for row in rows] == names
    for seed in (0, 2):
        sample = rows_of(scifibench_release, "captioning", f"prompt=caption,sample=5,seed={seed}")
        places = sorted(random.Random(f"sample#{seed}").sample(range(28), 5))
        assert [row["id"] for row in sample] == [names[place] for place in places]
    for count in (28, 99):
        assert (
            len(rows_of(scifibench_release, "captioning", f"prompt=caption,sample={count}")) == 28
        )


def test_pictures_may_be_grey(scifibench_release: Path) -> None:
    """Of the size of the real ones, those of examples too."""
    plain = rows_of(scifibench_release, "cs_fig2cap", "shots=1")[0]
    grey = rows_of(scifibench_release, "cs_fig2cap", "shots=1,ablation=grey")[0]
    for before, after in ((plain, grey), (plain["shots"][0], grey["shots"][0])):
        with Image.open(before["images"][0]) as real, Image.open(after["images"][0]) as shown:
            assert (shown.size, shown.convert("RGB").getpixel((0, 0))) == (
                real.size,
                (128, 128, 128),
            )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"ocr": "yes", "ablation": "grey"}, "ocr=yes with ablation=none"),
        ({"prompt": "released", "shots": 1}, "prompt=released without mark, shots and ocr"),
        ({"prompt": "caption", "mark": "correct"}, "prompt=caption without mark and shots"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(
    fields: dict[str, Any], expected: str
) -> None:
    """In one sentence."""
    with pytest.raises(InputError, match=f"Expected {expected}; found .*Correct the task's YAML"):
        SciFIBenchSettings(**fields)
