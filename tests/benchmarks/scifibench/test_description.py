"""SciFIBench counted again: Table 1, Figures 2 and 3."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.description import Count
from spiqa_tasks.benchmarks.scifibench.description import describe
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.published import load


def counted(folder: Path, split: str) -> dict[str, Count]:
    """Statistic -> its row, each once."""
    found = list(describe(LocalSource(folder), [split]))
    assert len({row.statistic for row in found}) == len(found)
    assert {row.split for row in found} == {split}
    return {row.statistic: row for row in found}


def printed(subset: str) -> dict[str, float]:
    """Statistic -> number of a subset in Table 1."""
    return {str(r["statistic"]): float(str(r["value"])) for r in load("scifibench", "table1") if r["subset"] == subset}


@pytest.mark.parametrize(("split", "name"), [("cs_fig2cap", "figure_to_caption"), ("cs_cap2fig", "caption_to_figure")])
def test_a_split_is_counted_beside_table_1(scifibench_release: Path, split: str, name: str) -> None:
    """The stand-in release has captions of 4 + n words (5 of 0 and 1), pictures of 60 - n by 20 (2: 60)."""
    found = counted(scifibench_release, split)
    table = printed("CS")
    questions = int(found[f"questions/{name}"].value)
    numbers = range(questions)
    assert (questions > 3, found[f"questions/{name}"].published) == (True, table[f"questions/{name}"])
    words = sorted(5 if number < 2 else 4 + number for number in numbers)
    row = found["caption_words"]
    assert (row.place, row.value) == ("Figure 2", pytest.approx(sum(words) / questions))
    assert sorted(value for value, often in row.distribution for _ in range(often)) == words
    widths = [60 - (0 if number == 2 else number) for number in numbers]
    if name == "caption_to_figure":
        widths += [60 - number for number in numbers for _ in range(4)]
    pixels = found["mean_figure_pixels"]
    assert (pixels.place, pixels.value) == ("Figure 2", pytest.approx(20 * sum(widths) / len(widths)))
    assert (found["categories"].value, found["categories"].published) == (1, table["categories"])
    names = ["cs.CV", "cs.LG", "other cs", "cross-list"]
    expected = {f"category/{names[kind]}": len([n for n in numbers if n % 4 == kind]) for kind in range(4)}
    assert {key: each.value for key, each in found.items() if key.startswith("category/")} == expected
    pool = found["pool_pairs"]
    assert (math.isnan(pool.value), pool.published, pool.is_missing) == (True, table["pool_pairs"], False)
    assert pool.why_not.startswith("the release has the questions alone, not the pool of pairs")
    assert {found[key].place for key in (f"questions/{name}", "categories", "pool_pairs")} == {"Table 1"}
    assert {each.place for key, each in found.items() if key.startswith("category/")} == {"Figure 3"}


def test_archives_of_the_general_subset_count_one_each(scifibench_release: Path) -> None:
    """Without computer science and what is listed in several."""
    found = counted(scifibench_release, "general_fig2cap")
    assert (found["categories"].value, found["categories"].published) == (4, printed("General")["categories"])
    assert found["questions/figure_to_caption"].published == printed("General")["questions/figure_to_caption"]


def test_the_demo_has_no_printed_numbers(scifibench_release: Path) -> None:
    """Only what its own files have."""
    found = counted(scifibench_release, "demo_fig2cap")
    assert all(math.isnan(row.published) for row in found.values())
    assert "pool_pairs" not in found


def test_without_the_file_the_printed_numbers_are_withheld(tmp_path: Path) -> None:
    """Those of this direction alone, with what is missing."""
    found = counted(tmp_path, "cs_cap2fig")
    assert set(found) == {"questions/caption_to_figure", "pool_pairs", "categories"}
    assert all(row.is_missing and row.place == "Table 1" and math.isnan(row.value) for row in found.values())
    assert all("CS_Caption2Figure" in row.why_not for row in found.values())
