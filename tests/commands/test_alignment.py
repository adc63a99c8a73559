"""`spiqa-tasks alignment`."""

from __future__ import annotations

from pathlib import Path

import pytest
from choice_runs import answered, write_own

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main


def test_the_table_has_shares_times_100(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per marked task; without what is needed, the message names what to run."""
    given = {"plain": ("", 7), "marked": ("mark=correct", 0)}
    samples = {
        task: answered(rows_for_scoring("scifibench", "demo_fig2cap", settings), wrong)
        for task, (settings, wrong) in given.items()
    }
    settings = {task: text for task, (text, _) in given.items()}
    write_own(tmp_path, "m", samples, settings=settings, split="demo_fig2cap")
    assert main(["alignment", str(tmp_path)]) == 0
    header, _, line = capsys.readouterr().out.splitlines()
    assert header.split() == ["model", "split", "mark", "ignore", "n", "control", "accuracy", "change", "low", "high"]
    assert line.split()[:8] == ["m", "demo_fig2cap", "correct", "no", "12", "41.7", "100.0", "58.3"]
    assert main(["alignment", str(tmp_path), "--task", next(iter(given))]) == 2
    assert "scifibench_alignment" in capsys.readouterr().err
