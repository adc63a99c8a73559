"""The same answers in every form that the commands read."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from host_files import sample_of, write_run
from openpyxl import Workbook

from spiqa_tasks.cli import main

Rows = Sequence[Mapping[str, Any]]


def as_lmms_eval(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """A result file with samples, in a folder."""
    samples = [sample_of(row, text) for row, text in zip(rows, texts, strict=True)]
    of_task = {
        "settings": {task: rows[0]["settings"]},
        "benchmark": rows[0]["benchmark"],
        "split": rows[0]["split"],
    }
    write_run(folder / task / model, model, {task: samples}, **of_task)
    return str(folder / task / model)


def as_jsonl(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Ids and predictions a line, the task named before the file."""
    path = _named(folder, task, f"{model}.jsonl")
    lines = [{"id": row["id"], "prediction": text} for row, text in zip(rows, texts, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"{task}={path}"


def as_table(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """A tsv file whose name has the task."""
    path = _named(folder, task, f"{model}_{task}.tsv")
    lines = [f"{row['id']}\t{text}\n" for row, text in zip(rows, texts, strict=True)]
    path.write_text("index\tprediction\n" + "".join(lines))
    return str(path)


def as_vlmevalkit(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """VLMEvalKit's folder of a model: a spreadsheet of answers."""
    path = _named(folder / "work", model, f"{model}_{task}.xlsx")
    book = Workbook()
    book.worksheets[0].append(["index", "prediction"])
    for row, text in zip(rows, texts, strict=True):
        book.worksheets[0].append([row["id"], text])
    book.save(path)
    return str(folder / "work" / model)


def as_run(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """What `score --output` writes, in a folder of many."""
    given = as_jsonl(folder, model, task, rows, texts).partition("=")[2]
    main(["score", task, given, "--output", str(folder / "scored" / model), "--partial"])
    return str(folder / "scored" / model)


def as_responses(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """SPIQA's response files, the task named before their folder."""
    papers: dict[str, dict[str, Any]] = {}
    for row, text in zip(rows, texts, strict=True):
        paper, _, key = row["question_id"].rpartition("/")
        papers.setdefault(paper, {})[key] = {"question": row["question"], "response": text}
    for paper, entries in papers.items():
        path = _named(folder / task, model, f"{paper}_response.json")
        path.write_text(json.dumps(entries))
    return f"{task}={folder / task / model}"


FORMS: dict[str, Callable[[Path, str, str, Rows, Sequence[str]], str]] = {
    "lmms-eval": as_lmms_eval,
    "jsonl": as_jsonl,
    "table": as_table,
    "vlmevalkit": as_vlmevalkit,
    "run": as_run,
}
"""Form -> what writes answers to a task in it and returns the argument that names them."""


def _named(folder: Path, name: str, file: str) -> Path:
    (folder / name).mkdir(parents=True, exist_ok=True)
    return folder / name / file
