"""Pages and Markdown as texts; `test_page_in_a_browser` looks at the page."""

from __future__ import annotations

from pathlib import Path

from report_runs import runs_at

from spiqa_tasks.report.content import Report, Section, build
from spiqa_tasks.report.page import as_markdown
from spiqa_tasks.report.tables import Table

TABLE = Table("Scores", ["run", "n"], [["a", "1"]], ["A note. " * 30], published=[["b|c", "20"]])


def test_the_markdown_has_every_table(two_runs: Path) -> None:
    """Headlines with intervals, groups, differences, coverage and signatures, and no plot."""
    report = build(runs_at(two_runs))
    text = as_markdown(report)
    for title in ("## Overview", "### accuracy by category", "## Comparison of runs", "## Coverage", "## Signatures"):
        assert title in text
    assert "100.0 \\[86.2, 100.0\\]" in text
    assert "The paper prints no row for this split and setting." in text
    assert text.count("\n### ") == sum(len(section.tables) for section in report.sections)
    assert "<svg" not in text


def test_text_of_users_is_no_markup() -> None:
    """Names of models and tasks can hold anything that Markdown reads; a bar within a cell makes no column."""
    hostile = "`a` *b* _c_ |d| <e> [f](g) #h \\"
    shown = Table(hostile, ["run"], [[hostile]], [hostile])
    text = as_markdown(Report("T", [hostile], [Section(hostile, [hostile], [shown])], ()))
    escaped = "\\`a\\` \\*b\\* \\_c\\_ \\|d\\| \\<e\\> \\[f\\](g) \\#h \\\\"
    assert [line for line in text.splitlines() if "h" in line] == [
        escaped,
        f"## {escaped}",
        escaped,
        f"### {escaped}",
        f"| {escaped} |",
        escaped,
    ]


def test_numbers_are_aligned_to_the_right_and_notes_stand_below() -> None:
    """Columns of texts to the left; sections without tables and notes are left out."""
    sections = [Section("Empty"), Section("Told", ["Why."]), Section("Full", (), [TABLE])]
    text = as_markdown(Report("Title", ["Left out."], sections, ()))
    assert text.startswith("# Title\n\nLeft out.\n\n## Told\n\nWhy.\n\n## Full\n\n### Scores\n\n| run")
    assert [line for line in text.splitlines() if line.startswith("| ")][1:] == [
        "| a     |   1 |",
        "| b\\|c  |  20 |",
    ]
    assert text.endswith(f"\n\n{TABLE.notes[0]}\n")
