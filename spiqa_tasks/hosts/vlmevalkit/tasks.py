"""Our tasks for the host: their rows and prompts, and their export to tables for a host without this package."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.mmstar.release import MISSING
from spiqa_tasks.benchmarks.prompting import Picture, Turn, chat_content, plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of, load_rows
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.pictures import page_path
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.scoring.options import question_before

Row = Mapping[str, Any]
HOST = "host=vlmevalkit"
"""Suffix of model names, so that runs of the same model in lmms-eval stay apart."""
_GROUPS = {"category": "category", "l2-category": "subcategory"}


@cache
def known() -> tuple[dict[str, Task], dict[str, tuple[str, ...]]]:
    """Return task name -> task, including filtered ones, and group name -> members."""
    return catalogue(filtered_tasks())


@cache
def rows_of(name: str) -> list[Row]:
    """Return the rows of a task. Raises DataError: release files missing or damaged."""
    task = known()[0][name]
    rows = load_rows(task.entry, task.split, task.settings)
    return [row for row in rows if task.kept is None or row["id"] in task.kept]


def message(row: Row) -> list[dict[str, str]]:
    """Return the prompt of a row in the host's form: texts and picture paths, interleaved, adjacent texts joined.

    The host has no chat turns: a blank line separates them, as for lmms-eval's simple models.
    """
    first, *rest = benchmark_of(row).prompt(row)
    parts = [] if isinstance(first, Turn) else [first]
    parts += ["\n\n" if isinstance(part, Turn) else part for part in rest]
    keys = {"text": "text", "image": "url"}
    return [
        {"type": part["type"], "value": part[keys[part["type"]]]}
        for part in chat_content(parts, "path")
    ]


@cache
def pictures(name: str) -> tuple[int, int]:
    """Return the minimum and maximum number of pictures of a task's rows."""
    counts = [
        sum(isinstance(part, Picture) for part in benchmark_of(row).prompt(row))
        for row in rows_of(name)
    ]
    return min(counts, default=0), max(counts, default=0)


def write_dataset(name: str, folder: Path) -> tuple[Path, bool, list[str]]:
    """Write `LMUData/<task>.tsv` and picture files; return (path, whether the host can score the answers, warnings).

    Choices have their options in columns, for the host's own prompt and matching; open questions have our prompt with
    all pictures before one text, and are for `--mode infer`.
    """
    folder = folder.resolve()
    copies: dict[str, str] = {}
    lines = [_line(row, folder / "images" / "spiqa_tasks", copies) for row in rows_of(name)]
    columns = list(dict.fromkeys(column for line in lines for column in line))
    path = folder / f"{name}.tsv"
    write_atomically(
        path, as_tsv([columns, *([line.get(column, "") for column in columns] for line in lines)])
    )
    lost = [
        line["index"] for line in lines if any(line.get(letter) in MISSING for letter in "ABCDE")
    ]
    warning = (
        f"{name}: VLMEvalKit loses an option of {len(lost)} questions ({', '.join(lost[:5])}), whose text it takes for "
        "a missing value."
    )
    return path, all("A" in line for line in lines), [warning] if lost else []


def _line(row: Row, folder: Path, copies: dict[str, str]) -> dict[str, str]:
    """Return a line of the table, its pictures copied into `folder` once; `copies` maps path -> copy."""
    parts = benchmark_of(row).prompt(row)
    paths = [page_path(part.path) for part in parts if isinstance(part, Picture)]
    for path in set(paths) - copies.keys():
        content = Path(path).read_bytes()
        copy = folder / f"{hashlib.sha256(content).hexdigest()[:24]}{Path(path).suffix}"
        if not copy.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(copy, content)
        copies[path] = str(copy)
    line = {
        "index": str(row["id"]),
        "question": plain_text(parts),
        "answer": str(row.get("answer", "")),
    }
    if row.get("letters"):
        texts = (text or f"picture {place}" for place, text in enumerate(row["options"], 1))
        line |= {
            "question": question_before(row["question"]),
            **dict(zip(row["letters"], texts, strict=True)),
        }
    line |= {column: str(row[name]) for column, name in _GROUPS.items() if row.get(name)}
    written = [copies[path] for path in paths]
    return line | (
        {"image_path": repr(written) if len(written) > 1 else written[0]} if written else {}
    )


def as_tsv(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return rows as TSV, every cell quoted: the csv of Python 3.10 cannot write NUL, which answers may hold."""
    cells = (
        ["" if cell is None or cell != cell else str(cell).replace('"', '""') for cell in row]
        for row in rows
    )
    text = "".join("\t".join(f'"{cell}"' for cell in row) + "\n" for row in cells)
    return text.encode("utf-8", "backslashreplace")
