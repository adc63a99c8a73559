"""Training data as conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import CAPTION, conversations
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


def row(folder: Path, **fields: Any) -> dict[str, Any]:
    """A question with two figures, of which the answer needs the first."""
    figures = [{"path": str(folder / f"{name}.png"), "file": f"{name}.png", "caption": f"{name}."} for name in "ab"]
    own = {"id": "p/0", "question": "Why?", "answer": "So.", "full_text": "", "step": "", "referred": [0]}
    return {**own, "figures": figures, "settings": "setting=direct", **fields}


QUESTION = (
    "You are given a question, a few input images, and a caption corresponding to each input image. Please answer the "
    "question based on the input images and corresponding captions. Question: Why?. Output in the following format: "
    "{'Answer': 'Direct Answer to the Question'}. \nImage 0: <image>\nCaption 0: a. \n\nImage 1: <image>\n"
    "Caption 1: b. \n\n"
)


def test_a_conversation_is_the_prompt_and_the_answer(tmp_path: Path) -> None:
    """In both forms, with the pictures in their order."""
    paths = [f"{tmp_path}/a.png", f"{tmp_path}/b.png"]
    assert list(conversations([row(tmp_path)], "llava")) == [
        {
            "id": "p/0",
            "image": paths,
            "conversations": [{"from": "human", "value": QUESTION}, {"from": "gpt", "value": "So."}],
        }
    ]
    assert list(conversations([row(tmp_path)], "messages")) == [
        {
            "id": "p/0",
            "images": paths,
            "messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "So."}],
        }
    ]


def test_captions_are_conversations_of_their_own(tmp_path: Path) -> None:
    """Of every figure shown, once; those without a caption or a picture have none."""
    rows = [row(tmp_path), row(tmp_path, id="p/1")]
    rows[1]["figures"] += [
        {"path": f"{tmp_path}/c.png", "file": "c.png", "caption": ""},
        {"path": "", "file": "d.png", "caption": "d."},
        {"path": f"{tmp_path}/e.png", "file": "e.png", "caption": "e."},
    ]
    found = list(conversations(rows, "messages", captions=True))
    assert [each["id"] for each in found] == ["p/0", "a.png", "b.png", "p/1", "e.png"]
    assert found[1] == {
        "id": "a.png",
        "images": [f"{tmp_path}/a.png"],
        "messages": [{"role": "user", "content": f"<image>\n{CAPTION}"}, {"role": "assistant", "content": "a."}],
    }
