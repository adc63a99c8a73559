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
    assert header.split() == ["model", "split", "mark", "ignore", "n", "control", "accuracy", "change"]
    assert line.split()[:8] == ["m", "demo_fig2cap", "correct", "no", "12", "41.7", "100.0", "58.3"]
    assert main(["alignment", str(tmp_path), "--task", next(iter(given))]) == 2
    assert "scifibench_alignment" in capsys.readouterr().err


def test_the_summary_has_its_own_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is withheld is a dash with its reason on stderr; runs that it is not of are refused."""
    for stamp, task, text, wrong in (("1", "plain", "", 0), ("2", "ignored", "mark=incorrect,ignore=yes", 12)):
        rows = rows_for_scoring("scifibench", "demo_fig2cap", text)
        samples = {task: answered(rows, wrong)}
        write_own(tmp_path, "m", samples, settings={task: text}, split="demo_fig2cap", stamp=stamp)
    assert main(["alignment", str(tmp_path), "--summary", "--format", "md"]) == 0
    printed = capsys.readouterr()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.out.splitlines()[2:]]
    assert cells[0] == ["m", "demo_fig2cap", "incorrect", "yes", "returned", "0", "-"]
    assert cells[1][4:6] == ["follows", "12"]
    assert "returned of m, demo_fig2cap: there is no run with the same mark" in printed.err
    (tmp_path / "2_results.json").unlink()
    rows = rows_for_scoring("scifibench", "demo_fig2cap", "mark=correct")
    write_own(tmp_path, "m", {"right": answered(rows, 0)}, settings={"right": "mark=correct"}, split="demo_fig2cap")
    assert main(["alignment", str(tmp_path), "--summary"]) == 2
    assert "wrong mark" in capsys.readouterr().err
