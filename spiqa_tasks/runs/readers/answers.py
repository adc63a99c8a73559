"""Answers as rows: JSON lines of id and prediction, and tables (csv, tsv, xlsx, json, parquet)."""

from collections.abc import Iterable, KeysView, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import json_lines
from spiqa_tasks.files.records import read_records, whole_id
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.readers.columns import (
    USUAL,
    Columns,
    advice,
    cell_text,
    listed,
)

# The form of files that have an object a line.
LINES = "jsonl"

# The form of all other files of rows.
TABLE = "table"


def read_lines(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of JSON lines.

    Raises DataError, InputError: a line of another form, with its number.
    """
    return _answers(path, "line", dict(json_lines(path)), columns)


def read_table(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a table.

    Raises DataError, InputError: a broken file, or a row that lacks a column.
    """
    return _answers(path, "row", dict(enumerate(read_records([path]), 1)), columns)


def answers_in(path: Path, columns: Columns = USUAL) -> int:
    """Return how many answers a table has; 0 if it is broken or of another form."""
    try:
        table = [columns.resolved(row) for row in read_records([path])]
    except DataError:
        return 0
    return len(table) if columns.is_answer(columns_of(table)) else 0


def columns_of(rows: Iterable[Mapping[str, Any]]) -> KeysView[str]:
    """Return the names of the columns, in their order."""
    return dict.fromkeys(column for row in rows for column in row).keys()


def _answers(
    path: Path, unit: str, rows: Mapping[int, Mapping[str, Any]], columns: Columns
) -> list[Answer]:
    rows = {number: columns.resolved(row) for number, row in rows.items()}
    found = columns_of(rows.values())
    columns.check(found, path)
    if not columns.is_answer(found):
        raise InputError(
            f"Expected {path} to have the columns index (or id) and prediction, found "
            f"{listed(found)}. {advice(found, columns)}".strip()
        )

    answers = []
    for place, (number, row) in enumerate(rows.items()):
        where = f"{unit} {number} of {path}"
        key = _key(row, columns.ids(found), where)
        prediction = columns.name("prediction", found)
        try:
            answers.append(columns.answer(row, key, row.get(prediction or ""), place))
        except ValueError as error:
            raise InputError(
                f"Expected names of figures and an answer in {where}, found {error}. Correct it."
            ) from error
    return answers


def _key(row: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    """The id of a row, or its paper and question; '' if no column has it."""
    cells = [row.get(name) for name in names]
    try:
        texts = [whole_id(cell_text(cell) or "") for cell in cells]
    except ValueError:
        texts = [""]
    if all(texts):
        return "/".join(texts)
    found = ", ".join(f"{cell!r:.60}" for cell in cells)
    raise InputError(
        f"Expected a text or number as {' and '.join(names)} in {where}, found {found}. Correct it."
    )
