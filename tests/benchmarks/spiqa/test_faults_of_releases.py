"""What the real releases lack: texts, answers, well-formed rows."""

from __future__ import annotations

import json
import logging
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.spiqa.release import PARAGRAPHS
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource

WITH_TEXT = "setting=fullpaper,ablation=text"
PAPER_A = {
    "all_figures": {"1-Figure1.png": {"caption": "A plot.", "figure_type": "plot", "content_type": "figure"}},
    "qa": [{"question": "How many?", "answer": "Three", "reference": "1-Figure1.png"}],
}


def write(folder: Path, split: str, papers: Any) -> LocalSource:
    """A data folder with one annotation file."""
    path = folder / "spiqa" / f"test-{split}" / f"SPIQA_test{split}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(papers))
    return LocalSource(folder)


def test_papers_of_b_without_a_text_are_asked_without(
    real_data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An empty `passages` stops nothing, needs no archive, and a line says how many questions have no text."""
    papers = json.loads((real_data / "spiqa/test-B/SPIQA_testB.json").read_text())
    first = next(iter(papers))
    papers[first]["passages"] = []
    source = write(tmp_path, "B", papers)
    with caplog.at_level(logging.WARNING):
        rows = load_rows("spiqa", "testB", WITH_TEXT, source)
    count = len(papers[first]["question"])
    assert len(rows) == 19
    assert [row["paper_id"] for row in rows if row["no_text"]] == [first] * count
    assert all(bool(row["full_text"]) != row["no_text"] for row in rows)
    assert f"{count} questions are asked without a text, which these papers lack: {first}" in caplog.text
    assert sum(row["no_text"] for row in rows_for_scoring("spiqa", "testB", WITH_TEXT, source)) == count


def test_one_text_that_the_archive_lacks_stops_one_paper(tmp_path: Path) -> None:
    """The other questions have their text; an archive that has none of them is an error."""
    source = write(tmp_path, "A", {"p1": PAPER_A, "p2": PAPER_A})
    for names, expected in ((["p2.txt"], [True, False]), (["other.txt"], None)):
        with zipfile.ZipFile(tmp_path / "spiqa" / PARAGRAPHS, "w") as archive:
            for name in names:
                archive.writestr(name, "A text.")
        if expected is None:
            with pytest.raises(DataError, match="2 files missing"):
                load_rows("spiqa", "testA", WITH_TEXT, source)
        else:
            assert [row["no_text"] for row in load_rows("spiqa", "testA", WITH_TEXT, source)] == expected


def paper_c(**answer: Any) -> dict[str, Any]:
    """A paper of test-C with a question that is answered by yes and one that is answered as given."""
    return {
        "arxiv_id": "1",
        "question": ["Open?", "Good?"],
        "question_key": ["0", "1"],
        "answer": [
            {"free_form_answer": "", "yes_no": None, **answer},
            {"free_form_answer": "", "yes_no": True},
        ],
        "referred_figures_tables": [["1-Table1-1.png"], ["1-Table1-1.png"]],
        "figures_and_tables": [{"file": "1-Table1-1.png", "caption": "Table 1: Counts."}],
        "full_text": [
            {"section_name": "Introduction", "paragraphs": ["One.", "Two."]},
            {"section_name": "End", "paragraphs": []},
            {"section_name": None, "paragraphs": ["Three."]},
        ],
    }


def test_a_question_of_c_without_an_answer_is_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Extractive spans are an answer; where there is none the question is missing, the ids of others stay."""
    spans = write(tmp_path / "spans", "C", {"c": paper_c(extractive_spans=["a b", "c"])})
    assert [row["answer"] for row in load_rows("spiqa", "testC", "ablation=text", spans)] == ["a b, c", "Yes"]
    with caplog.at_level(logging.WARNING):
        rows = load_rows("spiqa", "testC", WITH_TEXT, write(tmp_path / "none", "C", {"c": paper_c()}))
    assert [(row["id"], row["answer"]) for row in rows] == [("c/1", "Yes")]
    assert "1 question has no answer in" in caplog.text
    assert "c/0" in caplog.text
    assert rows[0]["full_text"] == "One.\nTwo.\n\n\n\nThree."


def change(path: tuple[Any, ...], value: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one field of a paper."""

    def apply(paper: dict[str, Any]) -> None:
        *before, last = path
        for key in before:
            paper = paper[key]
        paper[last] = value

    return apply


@pytest.mark.parametrize(
    "apply",
    [
        change(("all_figures", "1-Figure1.png", "figure_type"), None),
        change(("all_figures", "1-Figure1.png", "caption"), 3),
        change(("qa", 0, "question"), "lone \ud800"),
        change(("qa", 0, "answer"), None),
        change(("qa",), []),
    ],
    ids=["no type", "numeric caption", "lone surrogate", "no answer", "no questions"],
)
def test_a_faulty_row_is_one_error_that_names_file_and_paper(
    tmp_path: Path, apply: Callable[[dict[str, Any]], None]
) -> None:
    """No traceback, whatever is wrong."""
    paper = json.loads(json.dumps(PAPER_A))
    apply(paper)
    with pytest.raises(DataError, match=r"Expected .*SPIQA_testA.json") as error:
        load_rows("spiqa", "testA", "ablation=text", write(tmp_path, "A", {"the-paper": paper}))
    assert "the-paper" in str(error.value)
