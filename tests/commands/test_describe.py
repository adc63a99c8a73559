"""`spiqa-tasks describe`: what it prints, and its exit status."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from run_command import run_json

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main


def test_the_demo_data_of_every_benchmark_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Questions, categories and axes are those of its rows; nothing is missing."""
    status, rows, errors = run_json(capsys, "describe", "spiqa_demo", "mmstar_demo", "scifibench_demo")
    assert status == 0, errors
    found = {(row["benchmark"], row["in"], row["statistic"]): row["counted"] for row in map(renamed, rows)}
    assert found["spiqa", "Table 4", "questions"] == 39
    assert found["mmstar", "Figure 4", "source/demo"] == found["mmstar", "Figure 4", "questions"] == 24
    assert found["mmstar", "Figure 5", "subcategories"] == 18
    questions = load_rows("scifibench", "demo", "ablation=text")
    for name, often in Counter(row["category"] for row in questions if row["subcategory"] == "cap2fig").items():
        assert found["scifibench", "Figure 3", f"category/{name}"] == often
    captions = [len(row["caption"].split()) for row in questions if row["subcategory"] == "cap2fig"]
    assert found["scifibench", "Figure 2", "caption_words"] == pytest.approx(sum(captions) / len(captions))


def renamed(row: dict[str, object]) -> dict[str, object]:
    """A record under the headers of the table."""
    return row | {"in": row["place"], "counted": row["value"]}


def test_differences_from_the_paper_are_shown(
    real_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of six of test-B's 65 papers; of test-A, which is there in whole, there is none. Missing files are status 3."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    assert main(["describe", "spiqa_testA", "spiqa_testB", "scifibench_cs_fig2cap"]) == 0
    printed = capsys.readouterr()
    lines = [line.split() for line in printed.out.splitlines()]
    assert ["spiqa", "testA", "Table", "4", "papers", "118", "118"] in lines
    assert ["spiqa", "testB", "Table", "4", "papers", "6", "65", "-59"] in lines
    assert ["scifibench", "cs_fig2cap", "Table", "1", "questions/figure_to_caption", "60", "500", "-440"] in lines
    assert ["scifibench", "cs_fig2cap", "Figure", "3", "category/cs.SE", "7", "-"] in lines
    assert "Withheld of scifibench cs_fig2cap (Table 1): the release has the questions alone" in printed.err
    assert main(["describe", "mmstar"]) == 3
    printed = capsys.readouterr()
    assert "mmstar.parquet" in printed.err
    assert "22,401" in printed.out


def test_a_benchmark_that_no_paper_counts_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """So is a name that is neither task nor benchmark."""
    assert main(["describe", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err
