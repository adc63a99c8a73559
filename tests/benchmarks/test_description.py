"""Counts of the releases beside the printed ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spiqa_tasks.benchmarks.description import ALL, COUNTED, printed
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.published import items

FILES = {
    "testA": "test-A/SPIQA_testA.json",
    "val": "train_val/SPIQA_val.json",
    "train": "train_val/SPIQA_train.json",
    "testC": "test-C/SPIQA_testC.json",
}


def counted(paper: str, key: str, folder: Path, split: str) -> dict[str, float]:
    """The counts of a table in a data folder."""
    return COUNTED[paper, key](LocalSource(folder), split)


def paper(questions: Sequence[tuple[str, str]], *labels: str) -> dict[str, Any]:
    """A paper with questions (question, answer) and figures of some types, `table` a table."""
    figures = {
        f"{place}.png": {
            "caption": "",
            "figure_type": label,
            "content_type": "table" if label == "table" else "figure",
        }
        for place, label in enumerate(labels)
    }
    return {
        "all_figures": figures,
        "qa": [{"question": q, "answer": a, "reference": "0.png"} for q, a in questions],
    }


def write(folder: Path, **papers: Any) -> Path:
    """A data folder with the annotations of some splits."""
    for split, content in papers.items():
        path = folder / "spiqa" / FILES[split]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


def test_every_item_that_counts_has_its_function() -> None:
    """By its paper and key."""
    assert COUNTED.keys() == {(item.paper, item.key) for item in items() if item.maker == "counts"}


def test_the_real_test_a_is_as_table_4_counts_it(real_data: Path) -> None:
    """All seven printed numbers are found."""
    table = printed("spiqa", "table4", "testA")
    assert len(table) == 7
    assert counted("spiqa", "table4", real_data, "testA") == table


def test_table_2_is_of_the_three_splits_with_generated_questions(tmp_path: Path) -> None:
    """Their sums, and the longest and mean numbers of words; all of them must be there."""
    answers = ["a " * 5, "b " * 6, "c " * 40, "d " * 41]
    questions = [("why " * (place + 1), answer) for place, answer in enumerate(answers)]
    write(tmp_path, testA={"p1": paper(questions[:1], "plot", "table", "Schematic")})
    write(
        tmp_path, train={"p3": paper(questions[2:], "schematic", "table"), "p4": paper([], "plot.")}
    )
    with pytest.raises(DataError, match="SPIQA_val"):
        counted("spiqa", "table2", tmp_path, ALL)
    write(tmp_path, val={"p2": paper(questions[1:2], "photograph(s)")})
    assert counted("spiqa", "table2", tmp_path, ALL) == {
        **{"papers": 4, "questions": 4, "table": 2, "figure": 5},
        **{"schematic": 1, "plot": 2, "visualization": 1, "other": 1},
        **{
            "max_question_words": 4,
            "mean_question_words": 2.5,
            "max_answer_words": 41,
            "mean_answer_words": 23,
        },
    }
    assert printed("spiqa", "table2", ALL)["questions"] == 270_194


def test_types_are_left_out_where_no_figure_has_a_label(tmp_path: Path) -> None:
    """Test-C tells tables by their names; without labels its figures have no type, and are not
    all other.
    """
    content = {
        "arxiv_id": "1",
        "question": ["Why?"],
        "answer": [{"free_form_answer": "so it is", "yes_no": None}],
        "referred_figures_tables": [["1-Table1.png"]],
        "figures_and_tables": [
            {"file": name, "caption": ""} for name in ("1-Table1.png", "2-Figure1.png")
        ],
        "full_text": [],
    }
    found = counted("spiqa", "table4", write(tmp_path, testC={"c": content}), "testC")
    assert found == {"papers": 1, "questions": 1, "table": 1}


def test_questions_categories_and_sources_are_counted(tmp_path: Path) -> None:
    """Of MMStar; a copy without its column of sources has unknown ones, and the demo no printed
    numbers.
    """
    origins = ({"source": "MathVista"}, {"source": "SEED"}, {"source": "SEED"}, None)
    kinds = [
        ("math", "geometry"),
        ("math", "counting"),
        ("logical reasoning", "geometry"),
        ("math", "geometry"),
    ]
    rows = [
        {"index": place, "category": category, "l2_category": axis, "meta_info": origin}
        for place, ((category, axis), origin) in enumerate(zip(kinds, origins, strict=True))
    ]
    (tmp_path / "mmstar").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "mmstar" / "mmstar.parquet")
    sources = {"source/MathVista": 1, "source/SEED": 2, "source/unknown": 1}
    assert counted("mmstar", "figure4", tmp_path, "val") == {"questions": 4, **sources}
    assert counted("mmstar", "figure5", tmp_path, "val") == {
        **{
            "category/math": 3,
            "category/logical reasoning": 1,
            "categories": 2,
            "subcategories": 2,
        },
        **{"subcategory/counting": 1, "subcategory/geometry": 3},
    }
    assert printed("mmstar", "figure4", "val")["questions"] == 1500
    assert printed("mmstar", "figure5", "demo") == {}


@pytest.mark.parametrize(
    ("split", "name"), [("cs_fig2cap", "figure_to_caption"), ("cs_cap2fig", "caption_to_figure")]
)
def test_a_split_is_counted_beside_table_1(scifibench_release: Path, split: str, name: str) -> None:
    """Questions and archives, and Figure 3's categories."""
    found = counted("scifibench", "table1", scifibench_release, split)
    assert found == {f"questions/{name}": 14, "categories": 1}
    assert printed("scifibench", "table1", split)[f"questions/{name}"] == 500
    names = ["cs.CV", "cs.LG", "other cs", "cross-list"]
    expected = {
        f"category/{names[kind]}": len([n for n in range(14) if n % 4 == kind]) for kind in range(4)
    }
    assert counted("scifibench", "figure3", scifibench_release, split) == expected


def test_archives_of_the_general_subset_count_one_each(scifibench_release: Path) -> None:
    """Without computer science and what is listed in several."""
    assert counted("scifibench", "table1", scifibench_release, "general_fig2cap")["categories"] == 4
    assert printed("scifibench", "table1", "general_fig2cap")["categories"] == 7
