"""Answers in tables: MMStar's xlsx submission, VLMEvalKit's xlsx, tsv, csv, json and pkl files, and parquet."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, KeysView
from pathlib import Path

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.files.tables import ID_COLUMNS, Cells, row_id
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed

FORM = "table"
SCORED_COLUMNS = frozenset({"hit", "log", "score"})
"""What VLMEvalKit adds to the copies of a table that it has scored."""
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json", ".pkl")


def is_table(path: Path) -> bool:
    """Return whether a file is a table: an xlsx, a tsv or csv, a json list, parquet, or a pickled table."""
    if path.suffix in (".pkl", ".parquet"):
        return True
    with path.open("rb") as file:
        first = file.readline().decode("utf-8-sig", errors="replace")
    if zipfile.is_zipfile(path) or (path.suffix == ".json" and first.lstrip().startswith("[")):
        return True
    is_separated = path.suffix in (".tsv", ".csv") and bool(first.strip())
    return is_separated or ("\t" in first and "prediction" in first.replace('"', "").rstrip("\r\n").split("\t"))


def read_answers(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a table.

    Raises:
        DataError: see `read_cells`.
        InputError: a column is missing, of a row too.
    """
    table = read_cells(path)
    found = _columns(table)
    columns.check(found, path)
    names = [columns.name(what, found) for what in ("id", "prediction")]
    if None in names:
        raise InputError(
            f"Expected {path} to have the columns index (or id) and prediction, found {listed(found)}. {advice(found)}"
        )
    return [_answer(path, cells, place, columns, *map(str, names)) for place, cells in enumerate(table)]


def own_questions(path: Path) -> list[Cells]:
    """Return the rows of a table with the questions and true answers beside the predictions; none of any other."""
    table = read_cells(path)
    return table if {"question", "answer", "prediction"} <= _columns(table) else []


def answer_tables(folder: Path) -> list[Path]:
    """Return the tables of answers below a folder, by name; which of several runs counts is not decided here."""
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in (*SUFFIXES, ".parquet") and path.is_file())
    return [path for path in paths if answers_in(path)]


def answers_in(path: Path) -> int:
    """Return how many answers a table has; 0 for any other table, and for one that VLMEvalKit has scored."""
    try:
        table = read_cells(path)
    except DataError:
        return 0
    columns = _columns(table)
    is_of_answers = "prediction" in columns and columns & ID_COLUMNS and not columns & SCORED_COLUMNS
    return len(table) if is_of_answers else 0


def _answer(path: Path, cells: Cells, place: int, columns: Columns, row: str, prediction: str) -> Answer:
    if row not in cells or prediction not in cells:
        raise InputError(
            f"Expected row {place + 1} of {path} to have the columns {row} and {prediction}, found {listed(cells)}. "
            "Complete the row."
        )
    try:
        return columns.answer(cells, row_id(cells, [row]), cells[prediction], place)
    except ValueError as error:
        raise InputError(
            f"Expected names of figures in row {place + 1} of {path}, found {error}. Correct it."
        ) from error


def _columns(table: Iterable[Cells]) -> KeysView[str]:
    """The names of the columns, in their order."""
    return dict.fromkeys(column for row in table for column in row).keys()
