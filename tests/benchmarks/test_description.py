"""Counts of the releases beside the printed ones."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spiqa_tasks.benchmarks.description import DESCRIBE, Count, _printed
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.published import load

FILES = {
    "testA": "test-A/SPIQA_testA.json",
    "val": "train_val/SPIQA_val.json",
    "train": "train_val/SPIQA_train.json",
    "testC": "test-C/SPIQA_testC.json",
}
ROWS = [
    {"category": "math", "l2_category": "geometry", "meta_info": {"source": "MathVista"}},
    {"category": "math", "l2_category": "counting", "meta_info": {"source": "SEED"}},
    {"category": "logical reasoning", "l2_category": "geometry", "meta_info": {"source": "SEED"}},
    {"category": "math", "l2_category": "geometry", "meta_info": None},
]


def counted(benchmark: str, folder: Path, *splits: str) -> dict[tuple[str, str, str], Count]:
    """(split, place, statistic) -> its row, each once."""
    found = list(DESCRIBE[benchmark](dict.fromkeys(splits, LocalSource(folder))))
    keys = [(row.split, row.place, row.statistic) for row in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def of_spiqa(folder: Path, *splits: str) -> dict[tuple[str, str, str], Count]:
    """(split, place, statistic) -> its row, of SPIQA."""
    return counted("spiqa", folder, *splits)


def of_mmstar(folder: Path, split: str, rows: list[dict[str, Any]]) -> dict[tuple[str, str], Count]:
    """(place, statistic) -> its row, of an MMStar release with some rows."""
    if rows:
        (folder / "mmstar").mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / "mmstar" / "mmstar.parquet")
    return {key[1:]: row for key, row in counted("mmstar", folder, split).items()}


def of_scifibench(folder: Path, split: str) -> dict[str, Count]:
    """Statistic -> its row, of a split of SciFIBench."""
    return {key[2]: row for key, row in counted("scifibench", folder, split).items()}


def paper(questions: Sequence[tuple[str, str]], *labels: str) -> dict[str, Any]:
    """A paper with questions (question, answer) and figures of some types, `table` a table."""
    figures = {
        f"{place}.png": {"caption": "", "figure_type": label, "content_type": "table" if label == "table" else "figure"}
        for place, label in enumerate(labels)
    }
    qa = [{"question": q, "answer": a, "reference": "0.png"} for q, a in questions]
    return {"all_figures": figures, "qa": qa}


def write(folder: Path, **papers: Any) -> Path:
    """A data folder with the annotations of some splits."""
    for split, content in papers.items():
        path = folder / "spiqa" / FILES[split]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


def test_the_real_test_a_is_as_table_4_counts_it(real_data: Path) -> None:
    """All seven printed numbers are found."""
    found = of_spiqa(real_data, "testA")
    table = {row["statistic"]: row["value"] for row in load("spiqa", "table4") if row["split"] == "test-A"}
    assert {name: row.value for (_, _, name), row in found.items()} == table
    assert {row.difference for row in found.values()} == {0}


def test_table_2_is_of_the_three_splits_with_generated_questions(tmp_path: Path) -> None:
    """Their sums, and the longest and mean numbers of words."""
    answers = ["a " * 5, "b " * 6, "c " * 40, "d " * 41]
    questions = [("why " * (place + 1), answer) for place, answer in enumerate(answers)]
    write(
        tmp_path,
        testA={"p1": paper(questions[:1], "plot", "table", "Schematic")},
        val={"p2": paper(questions[1:2], "photograph(s)")},
        train={"p3": paper(questions[2:], "schematic", "table"), "p4": paper([], "plot.")},
    )
    found = of_spiqa(tmp_path, "testA", "val", "train")
    two = {key[2]: row.value for key, row in found.items() if key[:2] == ("all", "Table 2")}
    assert two == {
        **{"papers": 4, "questions": 4, "table": 2, "figure": 5},
        **{"schematic": 1, "plot": 2, "visualization": 1, "other": 1},
        **{"max_question_words": 4, "mean_question_words": 2.5, "max_answer_words": 41, "mean_answer_words": 23},
    }
    assert found["all", "Table 2", "questions"].published == 270_194


def test_what_is_not_there_is_withheld_with_the_reason(tmp_path: Path) -> None:
    """A split without its file, and Table 2 without one of its splits."""
    found = of_spiqa(write(tmp_path, testA={"p1": paper([("q", "a")], "plot")}), "testA", "val", "train")
    assert found["testA", "Table 4", "papers"].value == 1
    for key in (("val", "Table 4", "papers"), ("all", "Table 2", "papers")):
        assert math.isnan(found[key].value)
        assert found[key].is_missing
        assert "SPIQA_val.json" in found[key].why_not
    assert ("all", "Table 2", "papers") not in of_spiqa(tmp_path, "testA")


def test_types_are_withheld_where_no_figure_has_a_label(tmp_path: Path) -> None:
    """Test-C tells tables by their names; without labels its figures have no type, and are not all other."""
    figures = [{"file": name, "caption": ""} for name in ("1-Table1.png", "2-Figure1.png")]
    content = {
        "arxiv_id": "1",
        "question": ["Why?"],
        "answer": [{"free_form_answer": "so it is", "yes_no": None}],
        "referred_figures_tables": [["1-Table1.png"]],
        "figures_and_tables": figures,
        "full_text": [],
    }
    found = of_spiqa(write(tmp_path, testC={"c": content}), "testC")
    assert found["testC", "Table 4", "table"].value == 1
    assert math.isnan(found["testC", "Table 4", "other"].value)
    assert "no figure types" in found["testC", "Table 4", "other"].why_not


def test_questions_categories_and_sources_are_counted(tmp_path: Path) -> None:
    """Beside the printed numbers; the candidates before the review are withheld with the reason."""
    found = of_mmstar(tmp_path, "val", ROWS)
    fourth, fifth = _printed("mmstar", "figure4"), _printed("mmstar", "figure5")
    assert found["Figure 4", "questions"] == Count("val", "Figure 4", "questions", 4, fourth["questions"], "", False)
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
    found = of_mmstar(tmp_path, "demo", ROWS)
    assert all(math.isnan(row.published) for row in found.values())
    assert found["Figure 4", "questions"].value == 4
    assert [name for place, name in found if place == "Figure 5"][:4] == [
        *("categories", "subcategories", "category/logical reasoning", "category/math"),
    ]


def test_without_the_file_every_printed_number_is_withheld(tmp_path: Path) -> None:
    """Each says what is missing."""
    found = of_mmstar(tmp_path, "val", [])
    names = [("Figure 4", name) for name in _printed("mmstar", "figure4")] + [
        ("Figure 5", name) for name in _printed("mmstar", "figure5")
    ]
    assert list(found) == names
    assert all(row.is_missing and math.isnan(row.value) for row in found.values())
    assert all("mmstar.parquet" in row.why_not for row in found.values())
    assert all(found[key].published == _printed("mmstar", f"figure{key[0][-1]}")[key[1]] for key in names)


@pytest.mark.parametrize(("split", "name"), [("cs_fig2cap", "figure_to_caption"), ("cs_cap2fig", "caption_to_figure")])
def test_a_split_is_counted_beside_table_1(scifibench_release: Path, split: str, name: str) -> None:
    """Questions and archives, and below Figure 3's categories; the pool is not released."""
    found = of_scifibench(scifibench_release, split)
    table = _printed("scifibench", "table1", subset="CS")
    questions = int(found[f"questions/{name}"].value)
    numbers = range(questions)
    assert (questions > 3, found[f"questions/{name}"].published) == (True, table[f"questions/{name}"])
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
    found = of_scifibench(scifibench_release, "general_fig2cap")
    assert (found["categories"].value, found["categories"].published) == (
        4,
        _printed("scifibench", "table1", subset="General")["categories"],
    )
    assert (
        found["questions/figure_to_caption"].published
        == _printed("scifibench", "table1", subset="General")["questions/figure_to_caption"]
    )


def test_without_the_file_the_printed_numbers_are_withheld(tmp_path: Path) -> None:
    """Those of this direction alone, with what is missing."""
    found = of_scifibench(tmp_path, "cs_cap2fig")
    assert set(found) == {"questions/caption_to_figure", "pool_pairs", "categories"}
    assert all(row.is_missing and row.place == "Table 1" and math.isnan(row.value) for row in found.values())
    assert all("CS_Caption2Figure" in row.why_not for row in found.values())
