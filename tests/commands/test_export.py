"""`spiqa-tasks export`: the file, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa import conversations
from spiqa_tasks.cli import main
from spiqa_tasks.errors import DataError


def test_by_default_every_question_has_its_referred_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per question in llava's form with one figure each; folders are made and the number is told."""
    path = tmp_path / "new" / "out.jsonl"
    assert main(["export", "spiqa_demo", "--output", str(path)]) == 0
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    rows = load_rows("spiqa", "demo", "ablation=text")
    assert capsys.readouterr().out == f"wrote {len(rows)} conversations to {path}\n"
    assert [line["conversations"][-1]["value"] for line in lines] == [row["answer"] for row in rows]
    assert all(isinstance(line["image"], str) for line in lines)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("task", ["mmstar_demo", "spiqa"])
def test_only_one_task_of_spiqa_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str) -> None:
    """Another benchmark's task and a group are one sentence, and nothing is written."""
    assert main(["export", task, "--output", str(tmp_path / "out.jsonl")]) == 2
    assert capsys.readouterr().err == (f"spiqa-tasks: Expected a task of SPIQA such as spiqa_train; found {task}.\n")
    assert list(tmp_path.iterdir()) == []


def test_unknown_settings_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the sentence of `dataset_name`."""
    assert main(["export", "spiqa_demo", "--settings", "colour=red", "--output", str(tmp_path / "out.jsonl")]) == 2
    assert "colour" in capsys.readouterr().err


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the data ends in an error, the earlier file stays and no part of a new one is left."""

    def broken(*_: Any) -> Iterator[dict[str, Any]]:
        yield {"id": "1"}
        raise DataError("Expected a figure, found none.")

    monkeypatch.setattr(conversations, "conversations", broken)
    path = tmp_path / "out.jsonl"
    path.write_text("earlier")
    assert main(["export", "spiqa_demo", "--output", str(path)]) == 2
    assert capsys.readouterr().err.endswith("spiqa-tasks: Expected a figure, found none.\n")
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]
