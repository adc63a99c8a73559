"""Benchmarks of one's own for tests: a folder with pictures, data and a YAML."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from spiqa_tasks.benchmarks.own.definition import Definition, parse
from spiqa_tasks.benchmarks.own.rows import Row, load
from spiqa_tasks.files.pictures import Ablation
from spiqa_tasks.files.source import LocalSource

MIXED: list[dict[str, Any]] = [
    {
        "id": "a",
        "question": "Which colour? <image1>",
        "options": ["red", "blue"],
        "answer": "B",
        "image": "blue.png",
    },
    {"id": "b", "question": "How many bars?", "options": [], "answer": "1500", "image": "red.png"},
    {
        "id": "c",
        "question": "Which is it?",
        "options": ["left", "right", "none"],
        "answer": "A",
        "image": "red.png",
    },
]
"""A question with its picture in place, an open one, and another choice."""
COLUMNS = {
    "id": "id",
    "question": "question",
    "answer": "answer",
    "options": "options",
    "images": "image",
}


def write_pictures(folder: Path, *names: str) -> None:
    """Write small pictures of one colour each."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (12 + place, 8), (200, 40 * place, 0)).save(folder / name)


def write_own(
    folder: Path, rows: Iterable[Mapping[str, Any]] = MIXED, name: str = "shapes", **values: Any
) -> Path:
    """Write `data.jsonl`, two pictures and the YAML of a benchmark of both kinds; return the YAML."""
    write_pictures(folder, "red.png", "blue.png")
    (folder / "data.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    path = folder / f"{name}.yaml"
    given = {"benchmark": name, "data": "data.jsonl", "kind": "both", "columns": COLUMNS, **values}
    path.write_text(
        yaml.safe_dump(
            {key: value for key, value in given.items() if value is not None}, sort_keys=False
        )
    )
    return path


def own_rows(path: Path, ablation: Ablation = "none") -> tuple[Definition, list[Row]]:
    """Return the definition in a YAML and its rows."""
    definition = parse(yaml.safe_load(path.read_text()), path.parent)
    return definition, load(definition, LocalSource(path.parent), definition.split, ablation)[0]
