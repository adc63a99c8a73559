"""SPIQA's rows, from real annotation files where they are there and synthetic ones of the same schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.spiqa.figure_types import GROUPS, figure_group
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.benchmarks.spiqa.release import choose_figures, read_papers
from spiqa_tasks.errors import DataError, InputError

TABLE_4_TEST_A = {"schematic": 154, "plot": 301, "visualization": 131, "other": 95, "table": 434}

PAPER_C = {
    "arxiv_id": "1234.5678",
    "question": ["How many?", "Is it good?"],
    "question_key": ["0", "1"],
    "answer": [{"free_form_answer": "Three", "yes_no": None}, {"free_form_answer": "", "yes_no": False}],
    "referred_figures_tables": [["1-Table1-1.png"], ["2-Figure1-1.png", "1-Table1-1.png"]],
    "figures_and_tables": [
        {"file": "1-Table1-1.png", "caption": "Table 1: Counts."},
        {"file": "2-Figure1-1.png", "caption": "Figure 1: A plot."},
    ],
    "full_text": [
        {"section_name": "Introduction", "paragraphs": ["One.", "Two."]},
        {"section_name": None, "paragraphs": ["Three."]},
    ],
}


def write(folder: Path, name: str, papers: Any) -> LocalSource:
    path = folder / "spiqa" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(papers if isinstance(papers, str) else json.dumps(papers))
    return LocalSource(folder)


def test_test_a_has_the_counts_of_table_4(real_data: Path) -> None:
    """The released reading of the figure types gives the paper's counts, the corrected one moves only "other"."""
    papers = read_papers(real_data / "spiqa/test-A/SPIQA_testA.json", "A")
    figures = [figure.row() for paper in papers for figure in paper.figures.values()]
    assert len(papers) == 118
    assert sum(len(paper.questions) for paper in papers) == 666
    assert Counter(figure["group_released"] for figure in figures) == TABLE_4_TEST_A
    corrected = Counter(figure["group"] for figure in figures)
    assert corrected["other"] < 95
    assert corrected["table"] == 434
    assert corrected["schematic"] > 154


def test_rows_of_test_a_show_at_most_eight_figures_with_the_referred_one(real_data: Path) -> None:
    """Ids are paper and position, the referred figure is among those shown, no picture is needed without pictures."""
    rows = load_rows("spiqa", "testA", "setting=captiononly", LocalSource(real_data))
    assert len({row["id"] for row in rows}) == len(rows) == 666
    assert "1611.04684v1/0" in {row["id"] for row in rows}
    assert all(1 <= len(row["figures"]) <= 8 for row in rows)
    assert all(len(row["referred"]) == 1 for row in rows)
    assert max(len(row["figures"]) for row in rows) == 8


def test_six_papers_of_test_b_are_read(real_data: Path) -> None:
    """Parallel lists become questions; a figure referred twice is shown once; the full text is the passages."""
    rows = load_rows("spiqa", "testB", "setting=fullpaper,ablation=text", LocalSource(real_data))
    assert len(rows) == 19
    assert all(row["full_text"].count("\n\n") > 5 for row in rows)
    for row in rows:
        files = [figure["file"] for figure in row["figures"]]
        assert len(files) == len(set(files)) <= 8
        assert row["referred"]


def test_test_c_answers_are_free_form_or_yes_and_no(tmp_path: Path) -> None:
    """QASPER's answers and sections are read as the release means them."""
    source = write(tmp_path, "test-C/SPIQA_testC.json", {"1234.5678": PAPER_C})
    rows = load_rows("spiqa", "testC", "setting=fullpaper,ablation=text", source)
    assert [row["answer"] for row in rows] == ["Three", "No"]
    assert [row["group"] for row in rows] == ["table", "other"]
    assert rows[0]["full_text"] == "Introduction\nOne.\nTwo.\n\nThree."


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("not json", "JSON"),
        ([], "map paper ids"),
        ({"p": {"qa": []}}, "all_figures"),
        ({"p": {"all_figures": {}, "qa": [{"question": "Q"}]}}, "answer"),
        ({"p": {"all_figures": {}, "qa": [{"question": "", "answer": "a", "reference": "f"}]}}, "empty question"),
        ({"p": {"all_figures": {}, "qa": [{"question": "Q", "answer": "a", "reference": "f"}]}}, "refers to f"),
    ],
    ids=["no json", "a list", "no figures", "no answer", "empty question", "unknown figure"],
)
def test_broken_annotations_are_one_error_that_names_file_and_fault(tmp_path: Path, content: Any, found: str) -> None:
    """Bad annotation files are refused before anything is shown to a model."""
    source = write(tmp_path, "test-A/SPIQA_testA.json", content)
    with pytest.raises(DataError, match=found) as error:
        load_rows("spiqa", "testA", "", source)
    assert "SPIQA_testA.json" in str(error.value)


@pytest.mark.parametrize("settings", ["figures=3", "max_figures=many", "setting=best", "cot"])
def test_unknown_settings_are_refused(settings: str) -> None:
    """A key, a value or a form that the settings lack is an error that says what is known."""
    with pytest.raises(InputError, match="Expected"):
        load_rows("spiqa", "demo", settings)


FILES = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=1, max_size=30, unique=True)


@given(FILES, st.data(), st.integers(0, 10), st.integers(0, 3))
def test_choice_of_figures_holds_the_referred_ones_and_the_limit(
    files: list[str], data: st.DataObject, limit: int, seed: int
) -> None:
    """Shown figures are distinct, of the paper, at most the limit, and hold the referred ones as far as they fit."""
    referred = data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=4, unique=True))
    shown = choose_figures(files, referred, "paper/0", limit, seed)
    assert shown == choose_figures(files, referred, "paper/0", limit, seed)
    assert len(set(shown)) == len(shown) == (min(limit, len(files)) if limit else len(files))
    assert set(shown) <= set(files)
    assert len(set(shown) & set(referred)) == min(len(referred), limit or len(referred))


def test_seeds_and_questions_draw_different_orders() -> None:
    """Another seed or question gives another order."""
    files = [str(index) for index in range(12)]
    orders = {tuple(choose_figures(files, ["3"], question, 8, seed)) for question in ("a/0", "a/1") for seed in (0, 1)}
    assert len(orders) == 4


def test_order_is_the_same_in_another_process() -> None:
    """The order depends on no state of the process, such as its hash seed."""
    files = [str(index) for index in range(12)]
    code = f"from spiqa_tasks.benchmarks.spiqa.release import choose_figures; print(choose_figures({files}, ['3'], 'a/0', 8, 5))"
    command = [sys.executable, "-c", code]
    printed = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {str(choose_figures(files, ["3"], "a/0", 8, 5))}


@given(st.text())
def test_every_label_has_a_group_in_both_readings(label: str) -> None:
    """No label, however odd, falls outside the groups; tables are tables whatever their label."""
    assert figure_group(label, False) in GROUPS
    assert figure_group(label, False, "released") in GROUPS
    assert figure_group(label, True) == "table"
