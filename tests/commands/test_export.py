"""`spiqa-tasks export`: the file, and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main
from spiqa_tasks.errors import DataError


def test_by_default_every_question_has_its_referred_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line per question in llava's form with one figure each; folders are made and the
    number is told.
    """
    path = tmp_path / "new" / "out.jsonl"
    assert main(["export", "spiqa_demo", "--output", str(path)]) == 0
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    rows = load_rows("spiqa", "demo", "ablation=text")
    assert capsys.readouterr().out == f"wrote {len(rows)} conversations to {path}\n"
    assert [line["conversations"][-1]["value"] for line in lines] == [row["answer"] for row in rows]
    assert all(isinstance(line["image"], str) for line in lines)
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the data ends in an error, the earlier file stays and no part of a new one is left."""

    def broken(*_: Any) -> Iterator[dict[str, Any]]:
        yield {"id": "1"}
        raise DataError("Expected a figure, found none.")

    monkeypatch.setattr("spiqa_tasks.commands.export.conversations", broken)
    path = tmp_path / "out.jsonl"
    path.write_text("earlier")
    assert main(["export", "spiqa_demo", "--output", str(path)]) == 2
    assert capsys.readouterr().err.endswith("spiqa-tasks: Expected a figure, found none.\n")
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]
