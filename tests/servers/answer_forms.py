"""Writers of answers, one for each form of files that the commands read.

Each writes a model's answers, `texts`, to a task's rows, and returns the argument that names them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from host_files import sample_of, write_run
from openpyxl import Workbook

from spiqa_tasks.cli import main

Rows = Sequence[Mapping[str, Any]]


def as_lmms_eval(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Write results and samples of lmms-eval; return their folder."""
    samples = [sample_of(row, text) for row, text in zip(rows, texts, strict=True)]
    of_task = {
        "settings": {task: rows[0]["settings"]},
        "benchmark": rows[0]["benchmark"],
        "split": rows[0]["split"],
    }
    write_run(folder / task / model, model, {task: samples}, **of_task)
    return str(folder / task / model)


def as_jsonl(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Write lines of id and prediction; return `TASK=FILE`."""
    path = _named(folder, task, f"{model}.jsonl")
    lines = [{"id": row["id"], "prediction": text} for row, text in zip(rows, texts, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"{task}={path}"


def as_table(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Write a tsv file; the task is in its name."""
    path = _named(folder, task, f"{model}_{task}.tsv")
    lines = [f"{row['id']}\t{text}\n" for row, text in zip(rows, texts, strict=True)]
    path.write_text("index\tprediction\n" + "".join(lines))
    return str(path)


def as_vlmevalkit(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Write VLMEvalKit's spreadsheet of answers; return the model's folder."""
    path = _named(folder / "work", model, f"{model}_{task}.xlsx")
    book = Workbook()
    book.worksheets[0].append(["index", "prediction"])
    for row, text in zip(rows, texts, strict=True):
        book.worksheets[0].append([row["id"], text])
    book.save(path)
    return str(folder / "work" / model)


def as_run(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Score the answers with `score --output`; return the folder that it writes."""
    _, _, predictions = as_jsonl(folder, model, task, rows, texts).partition("=")
    output = str(folder / "scored" / model)
    main(["score", task, predictions, "--output", output, "--partial"])
    return output


def as_responses(folder: Path, model: str, task: str, rows: Rows, texts: Sequence[str]) -> str:
    """Write SPIQA's response files, one per paper; return `TASK=FOLDER`."""
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
"""Form of files -> its writer."""


def _named(folder: Path, name: str, file: str) -> Path:
    """Return the path of a file in a subfolder, which is made."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    return folder / name / file
