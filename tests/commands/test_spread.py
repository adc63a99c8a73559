"""`spiqa-tasks spread`."""

from __future__ import annotations

from pathlib import Path

import pytest
from choice_runs import answered, write_own

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main


def test_the_table_has_shares_times_100(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per model and split; without what is needed, the message names what to run."""
    given = {"t0": ("", 0), "t1": ("shuffle=1", 6)}
    samples = {
        task: answered(rows_for_scoring("scifibench", "demo_fig2cap", settings), wrong)
        for task, (settings, wrong) in given.items()
    }
    settings = {task: text for task, (text, _) in given.items()}
    write_own(tmp_path, "m", samples, settings=settings, split="demo_fig2cap")
    assert main(["spread", str(tmp_path)]) == 0
    header, _, line = capsys.readouterr().out.splitlines()
    assert header.split() == ["model", "split", "over", "accuracies", "mean", "sd", "range"]
    assert line.split()[:8] == ["m", "demo_fig2cap", "shuffle", "0:100.0", "1:50.0", "75.0", "35.4", "50.0"]
    assert main(["spread", str(tmp_path), "--task", next(iter(given))]) == 2
    assert "scifibench_shuffle" in capsys.readouterr().err
