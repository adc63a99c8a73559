"""SPIQA's rows, from real annotation files where they are there and synthetic ones of the same schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def write(folder: Path, name: str, papers: Any) -> LocalSource:
    path = folder / "spiqa" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(papers if isinstance(papers, str) else json.dumps(papers))
    return LocalSource(folder)


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


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("not json", "JSON"),
        ([], "maps paper ids"),
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
