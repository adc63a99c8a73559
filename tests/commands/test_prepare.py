"""`prepare`."""

from pathlib import Path

import pytest

from spiqa_tasks.cli import main


def test_prepare_checks_the_shipped_data(capsys: pytest.CaptureFixture[str]) -> None:
    """The demo tasks are ready at once, and the counts are printed."""
    assert main(["prepare", "spiqa_demo", "mmstar_demo"]) == 0
    printed = capsys.readouterr().out
    assert "spiqa_demo: 39 questions, 31 pictures, ready" in printed
    assert "mmstar_demo: 24 questions, 24 pictures, ready" in printed


def test_prepare_goes_on_after_a_task_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One task without data is reported on stderr with status 3; the others are prepared all the
    same. With no other task nothing is done: status 2.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    assert main(["prepare", "spiqa_testB", "mmstar_demo"]) == 3
    printed = capsys.readouterr()
    assert "mmstar_demo: 24 questions" in printed.out
    assert "spiqa_testB: Expected" in printed.err
    assert main(["prepare", "spiqa_testB"]) == 2
