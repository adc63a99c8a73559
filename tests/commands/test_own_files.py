"""Files that a command reads stay what they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spiqa_tasks.cli import main


@pytest.mark.parametrize(
    "given",
    [
        "score spiqa_demo a.jsonl --judge openai:m@http://127.0.0.1:1 --write-requests a.jsonl",
        "score a.jsonl --judge openai:m@http://127.0.0.1:1 --write-requests link",
        "calibrate a.jsonl --html ../{name}/a.jsonl",
        "report spiqa_demo=a.jsonl --csv a.jsonl",
        "report spiqa_demo=a.jsonl --csv new --markdown new",
    ],
)
def test_a_file_that_is_read_is_not_written(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers and people's verdicts are refused as the place of results; nothing is written."""
    monkeypatch.chdir(tmp_path)
    text = json.dumps({"id": "demo01.00001v1/0", "prediction": "The gateway."}) + "\n"
    (tmp_path / "a.jsonl").write_text(text)
    (tmp_path / "link").symlink_to("a.jsonl")
    assert main(given.format(name=tmp_path.name).split()) == 2
    assert "Expected different files as " in capsys.readouterr().err
    assert (tmp_path / "a.jsonl").read_text() == text
    assert not (tmp_path / "new").exists()


def test_a_run_may_be_named_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is read only is left to the command."""
    (tmp_path / "a.jsonl").write_text("")
    assert main(["gain", "--with", str(tmp_path / "a.jsonl"), "--without", str(tmp_path / "a.jsonl")]) == 2
    assert "Expected different files as " not in capsys.readouterr().err
