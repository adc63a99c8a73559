"""Export a task as a table for VLMEvalKit without this package: `LMUData/<task>.tsv` and picture files."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.mmstar.release import MISSING, question_of
from spiqa_tasks.benchmarks.prompting import Picture, plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.pictures import page_path
from spiqa_tasks.hosts.vlmevalkit.tasks import rows_of


def write_dataset(name: str, folder: Path) -> tuple[Path, bool, list[str]]:
    """Write a task's table and pictures; return (path, whether the host can score the answers, warnings).

    Choices have their options in columns, for the host's own prompt and matching; open questions have our prompt with
    all pictures before one text, and are for `--mode infer`.

    Raises:
        DataError: release files missing, unreadable or not in the release's format.
    """
    folder = folder.resolve()
    written: dict[str, str] = {}
    lines = [_line(row, folder / "images" / "spiqa_tasks", written) for row in rows_of(name)]
    columns = dict.fromkeys(column for line in lines for column in line)
    text = io.StringIO()
    table = csv.DictWriter(text, list(columns), delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL)
    table.writeheader()
    table.writerows(lines)
    path = folder / f"{name}.tsv"
    write_atomically(path, text.getvalue().encode())
    lost = [line["index"] for line in lines if any(line.get(letter) in MISSING for letter in "ABCDE")]
    said = (
        f"{name}: VLMEvalKit loses an option of {len(lost)} questions ({', '.join(lost[:5])}), whose text it takes for"
    )
    return path, all("A" in line for line in lines), [f"{said} a missing value."] if lost else []


def _line(row: Mapping[str, Any], pictures: Path, written: dict[str, str]) -> dict[str, str]:
    parts = benchmark_of(row).prompt(row)
    paths = [_written(page_path(part.path), pictures, written) for part in parts if isinstance(part, Picture)]
    line = {"index": str(row["id"]), "question": plain_text(parts), "answer": str(row.get("answer", ""))}
    if row.get("letters"):
        texts = (text or f"picture {place}" for place, text in enumerate(row["options"], 1))
        line |= {"question": question_of(row["question"]), **dict(zip(row["letters"], texts, strict=True))}
    line |= {column: str(row[name]) for column, name in _GROUPS.items() if row.get(name)}
    return line | ({"image_path": repr(paths) if len(paths) > 1 else paths[0]} if paths else {})


_GROUPS = {"category": "category", "l2-category": "subcategory"}


def _written(path: str, folder: Path, written: dict[str, str]) -> str:
    """Return the copy of a picture in a folder, written once."""
    if path not in written:
        content = Path(path).read_bytes()
        copy = folder / f"{hashlib.sha256(content).hexdigest()[:24]}{Path(path).suffix}"
        if not copy.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(copy, content)
        written[path] = str(copy)
    return written[path]
