"""How far a process is, by the last bar in its log."""

import subprocess
import sys
from pathlib import Path

import pytest

from spiqa_tasks import printable
from spiqa_tasks.hosts.lmms_eval import command_line
from spiqa_tasks.hosts.lmms_eval.command_line import watched

CODE = """
import sys, time
print("Responding: 10%|# | 1/10 [00:00]\\rResponding: 40%|#### | 4/10 [00:01]", flush=True)
time.sleep(1)
sys.exit(7)
"""


def test_a_watched_process_ends_with_its_status_and_its_last_bar_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of several states of a bar the last one counts."""
    monkeypatch.setattr(command_line, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(printable, "FIRST", 0.0)
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen([sys.executable, "-c", CODE], stdout=file)
    assert watched(process, log, "answering") == 7
    said = capsys.readouterr().err
    assert "answering: 4 of 10" in said
    assert "1 of 10" not in said


def test_seconds_are_shown_before_the_first_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host's imports take half a minute, of which its log says nothing."""
    monkeypatch.setattr(command_line, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(printable, "FIRST", 0.0)
    (tmp_path / "log").touch()
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"])
    assert watched(process, tmp_path / "log", "starting") == 0
    assert "spiqa-tasks: starting: 0 s" in capsys.readouterr().err
