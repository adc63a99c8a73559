"""The three annotation formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import LocalSource

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


def test_test_c_answers_are_free_form_or_yes_and_no(tmp_path: Path) -> None:
    """QASPER's answers are read as the release means them; its text is the paragraphs, as in the released script."""
    source = write(tmp_path, "test-C/SPIQA_testC.json", {"1234.5678": PAPER_C})
    rows = load_rows("spiqa", "testC", "setting=fullpaper,ablation=text", source)
    assert [row["answer"] for row in rows] == ["Three", "No"]
    assert [row["group"] for row in rows] == ["table", "other"]
    assert rows[0]["full_text"] == "One.\nTwo.\n\nThree."
