"""`spiqa-tasks export`: the file, and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.hosts.vlmevalkit import export, tasks


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


@pytest.mark.parametrize(
    ("task", "mode"),
    [("mmstar_demo", ""), ("scifibench_demo_cap2fig", ""), ("spiqa_demo", " --mode infer")],
)
def test_a_task_becomes_a_table_of_vlmevalkit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, mode: str
) -> None:
    """Every question with its key, its options in columns, and its pictures, each of which is a
    file once.
    """
    assert main(["export", task, "--to", "vlmevalkit", "--output", str(tmp_path)]) == 0
    assert (
        capsys.readouterr().out
        == f"wrote {tmp_path / task}.tsv; run it with LMUData={tmp_path} --data {task}{mode}\n"
    )
    written = read_cells(tmp_path / f"{task}.tsv")
    rows = tasks.rows_of(task)
    assert [(line["index"], line["answer"]) for line in written] == [
        (row["id"], row["answer"]) for row in rows
    ]
    for line, row in zip(written, rows, strict=True):
        paths = line["image_path"]
        files = [
            Path(path)
            for path in (json.loads(paths.replace("'", '"')) if paths[0] == "[" else [paths])
        ]
        shown = [Path(part["value"]) for part in tasks.message(row) if part["type"] == "image"]
        assert [file.read_bytes() for file in files] == [picture.read_bytes() for picture in shown]
        options = {letter: line[letter] for letter in row.get("letters", ())}
        assert list(options.values()) == [
            text or f"picture {n}" for n, text in enumerate(row.get("options", ()), 1)
        ]
        assert not any(text in line["question"] for text in options.values()) or "cap2fig" in task
    pictures = list((tmp_path / "images/spiqa_tasks").iterdir())
    assert len({picture.read_bytes() for picture in pictures}) == len(pictures)


def test_an_option_that_vlmevalkit_loses_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its question; the host reads `None` as a missing value."""
    row = {**tasks.rows_of("mmstar_demo_text")[0], "options": ["None", "b", "c", "d"]}
    monkeypatch.setattr(export, "rows_of", lambda _name: [row])
    assert (
        main(["export", "mmstar_demo_text", "--to", "vlmevalkit", "--output", str(tmp_path)]) == 0
    )
    assert f"VLMEvalKit loses an option of 1 questions ({row['id']})" in capsys.readouterr().err
