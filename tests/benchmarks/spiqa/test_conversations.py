"""Training data as conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main


@pytest.mark.parametrize("settings", ["setting=perfigure,protocol=released", "setting=direct"])
@pytest.mark.parametrize("form", ["llava", "messages"])
def test_exported_conversations_load_with_datasets(tmp_path: Path, form: str, settings: str) -> None:
    """One conversation per question that ends in its answer, each picture there and marked in the text."""
    import datasets

    path = tmp_path / "out.jsonl"
    arguments = ["export", "spiqa_demo", "--format", form, "--settings", settings, "--captions", "--output", str(path)]
    assert main(arguments) == 0
    loaded = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    rows = {row["question_id"]: row for row in load_rows("spiqa", "demo", "ablation=text")}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    questions = {}
    for line in lines:
        pictures = line["image"] if form == "llava" else line["images"]
        turns = line["conversations" if form == "llava" else "messages"]
        texts = [turn["value" if form == "llava" else "content"] for turn in turns]
        pictures = [pictures] if isinstance(pictures, str) else pictures
        assert texts[0].count("<image>") == len(pictures)
        assert all(Path(picture).is_file() for picture in pictures)
        if "/" in line["id"]:
            questions["/".join(line["id"].split("/")[:2])] = texts[-1]
    assert len(loaded) == len(lines) > len(rows)
    assert questions == {key: row["answer"] for key, row in rows.items()}
