"""MMStar counted again: Figures 4 and 5."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spiqa_tasks.benchmarks.description import Count
from spiqa_tasks.benchmarks.mmstar.description import describe
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.published import load

ROWS = [
    {"category": "math", "l2_category": "geometry", "meta_info": {"source": "MathVista"}},
    {"category": "math", "l2_category": "counting", "meta_info": {"source": "SEED"}},
    {"category": "logical reasoning", "l2_category": "geometry", "meta_info": {"source": "SEED"}},
    {"category": "math", "l2_category": "geometry", "meta_info": None},
]


def counted(folder: Path, split: str, rows: list[dict[str, Any]]) -> dict[tuple[str, str], Count]:
    """(place, statistic) -> its row, each once."""
    if rows:
        (folder / "mmstar").mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / "mmstar" / "mmstar.parquet")
    found = list(describe(LocalSource(folder), [split]))
    assert {row.split for row in found} == {split}
    keys = [(row.place, row.statistic) for row in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def printed(table: str) -> dict[str, Any]:
    """Statistic -> number of a published figure."""
    return {str(row["statistic"]): row["value"] for row in load("mmstar", table)}


def test_questions_categories_and_sources_are_counted(tmp_path: Path) -> None:
    """Beside the printed numbers; the candidates before the review are withheld with the reason."""
    found = counted(tmp_path, "val", ROWS)
    fourth, fifth = printed("figure4"), printed("figure5")
    assert found["Figure 4", "questions"] == Count("val", "Figure 4", "questions", 4, fourth["questions"])
    sources = {key[1]: row.value for key, row in found.items() if key[1].startswith("source/")}
    assert sources == {"source/MathVista": 1, "source/SEED": 2, "source/unknown": 1}
    candidates = {name for name in fourth if name != "questions"}
    assert candidates
    for name in candidates:
        row = found["Figure 4", name]
        assert (math.isnan(row.value), row.published, row.is_missing) == (True, fourth[name], False)
        assert row.why_not == "the release has the final questions alone"
    of_five = {key[1]: row.value for key, row in found.items() if key[0] == "Figure 5"}
    assert of_five == {
        **dict.fromkeys(fifth, 0),
        **{"category/math": 3, "category/logical reasoning": 1, "categories": 2, "subcategories": 2},
        **{"subcategory/counting": 1, "subcategory/geometry": 3},
    }
    assert all(found["Figure 5", name].published == value for name, value in fifth.items())
    assert math.isnan(found["Figure 5", "subcategory/geometry"].published)


def test_the_demo_has_no_printed_numbers(tmp_path: Path) -> None:
    """Neither of its questions nor of candidates."""
    found = counted(tmp_path, "demo", ROWS)
    assert all(math.isnan(row.published) for row in found.values())
    assert found["Figure 4", "questions"].value == 4
    assert [name for place, name in found if place == "Figure 5"][:4] == [
        *("categories", "category/logical reasoning", "category/math", "subcategories"),
    ]


def test_copies_without_sources_withhold_them_alone(tmp_path: Path) -> None:
    """The reason names the column."""
    found = counted(tmp_path, "val", [{key: row[key] for key in ("category", "l2_category")} for row in ROWS])
    row = found["Figure 4", "questions by source"]
    assert (math.isnan(row.value), row.is_missing) == (True, True)
    assert "meta_info" in row.why_not
    assert found["Figure 4", "questions"].value == 4


def test_without_the_file_every_printed_number_is_withheld(tmp_path: Path) -> None:
    """Each says what is missing."""
    found = counted(tmp_path, "val", [])
    names = [("Figure 4", name) for name in printed("figure4")] + [("Figure 5", name) for name in printed("figure5")]
    assert list(found) == names
    assert all(row.is_missing and math.isnan(row.value) for row in found.values())
    assert all("mmstar.parquet" in row.why_not for row in found.values())
    assert all(found[key].published == printed(f"figure{key[0][-1]}")[key[1]] for key in names)
