"""Answers in tables: MMStar's xlsx submission and VLMEvalKit's xlsx, tsv and json files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, KeysView
from pathlib import Path

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.tables import ID_COLUMNS, Cells, read_cells, row_id
from spiqa_tasks.hosts.vlmevalkit.markers import response_of
from spiqa_tasks.runs.answer import Answer

FORM = "table"
SCORED_COLUMNS = frozenset({"hit", "log", "score"})
"""What VLMEvalKit adds to the copies of a table that it has scored."""
SUFFIXES = (".xlsx", ".tsv", ".json")


def is_table(path: Path) -> bool:
    """Return whether a file is a table of answers: an xlsx, a tsv with a column `prediction`, or a json list."""
    with path.open("rb") as file:
        first = file.readline().decode("utf-8-sig", errors="replace")
    if zipfile.is_zipfile(path) or (path.suffix == ".json" and first.lstrip().startswith("[")):
        return True
    return "\t" in first and "prediction" in first.replace('"', "").rstrip("\r\n").split("\t")


def read_answers(path: Path) -> list[Answer]:
    """Return the answers of a table.

    Raises:
        InputError: see `read_cells`; or a column is missing.
    """
    return [_answer(path, cells, place) for place, cells in enumerate(read_cells(path) or [{}])]


def own_questions(path: Path) -> list[Cells]:
    """Return the rows of a table with the questions and true answers beside the predictions; none of any other."""
    table = read_cells(path)
    return table if {"question", "answer", "prediction"} <= _columns(table) else []


def answer_tables(folder: Path) -> list[Path]:
    """Return the tables of answers below a folder that VLMEvalKit wrote, the newest of each name."""
    newest: dict[str, Path] = {}
    for path in sorted(folder.rglob("*"), key=lambda path: path.stat().st_mtime_ns):
        if path.suffix in SUFFIXES and path.is_file() and _has_answers(path):
            newest[path.name] = path
    return sorted(newest.values())


def _has_answers(path: Path) -> bool:
    try:
        columns = _columns(read_cells(path))
    except InputError:
        return False
    return "prediction" in columns and bool(columns & ID_COLUMNS) and not columns & SCORED_COLUMNS


def _answer(path: Path, cells: Cells, place: int) -> Answer:
    if cells.keys().isdisjoint(ID_COLUMNS) or "prediction" not in cells:
        raise InputError(
            f"Expected row {place + 1} of {path} to have the columns index (or id) and prediction, found "
            f"{', '.join(cells) or 'none'}. Rename the columns, or complete the row."
        )
    text, response = cells["prediction"], response_of(cells["prediction"])
    told = (cells.get("question", ""), cells.get("answer", ""))
    return Answer(row_id(cells), Response(text, response.failure), None, place, *told)


def _columns(table: Iterable[Cells]) -> KeysView[str]:
    """The names of the columns, in their order."""
    return dict.fromkeys(column for row in table for column in row).keys()
