"""`spiqa-tasks doctor`."""

from __future__ import annotations

import pytest

from spiqa_tasks.cli import main


def test_doctor_reports_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any data the doctor says so and ends with status 3."""
    assert main(["doctor"]) == 3
    printed = capsys.readouterr().out
    assert "ok       registration" in printed
    assert "missing  data of mmstar" in printed
