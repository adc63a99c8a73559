"""Answers in a jsonl file of one's own: `{"id": ..., "prediction": "..."}` a line, and whatever else it may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import RepeatedKeyError, loads
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.readers.columns import USUAL, Columns

FORM = "jsonl"


def first_object(path: Path) -> dict[str, Any] | None:
    """Return the object in the first line that is not blank; None where that is none.

    Raises InputError: no UTF-8 text, or an object that has a key twice.
    """
    return next((_object(path, number, line) for number, line in _lines(path)), None)


def is_answers(entry: Mapping[str, Any], columns: Columns) -> bool:
    """Return whether an object of a line has an id and a prediction."""
    return None not in (columns.name("id", entry), columns.name("prediction", entry))


def read_answers(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a file.

    Raises InputError: a line that is not of the form, with its number; or a column that is not there.
    """
    entries: dict[int, dict[str, Any]] = {}
    for number, line in _lines(path):
        entry = _object(path, number, line)
        if entry is None:
            raise InputError(
                f"Expected line {number} of {path} to be a JSON object, found {line.strip()[:60]!r}. "
                "Complete or delete the line."
            )
        entries[number] = entry
    columns.check(dict.fromkeys(name for entry in entries.values() for name in entry), path)
    return [_answer(path, number, entry, columns) for number, entry in entries.items()]


def _answer(path: Path, number: int, entry: Mapping[str, Any], columns: Columns) -> Answer:
    row_id, text = (entry.get(columns.name(what, entry) or "") for what in ("id", "prediction"))
    if not isinstance(row_id, str | int) or isinstance(row_id, bool) or not isinstance(text, str):
        raise InputError(
            f'Expected line {number} of {path} to be {{"id": a string or whole number, "prediction": a string}}, '
            f"found id {row_id!r} and prediction {text!r}. Correct the line."
        )
    try:
        return columns.answer(entry, str(row_id), text)
    except ValueError as error:
        raise InputError(f"Expected names of figures in line {number} of {path}, found {error}. Correct it.") from error


def _object(path: Path, number: int, line: str) -> dict[str, Any] | None:
    try:
        entry = loads(line)
    except RepeatedKeyError as error:
        raise InputError(
            f"Expected each key once in line {number} of {path}, found {error}. Keep the one that counts."
        ) from error
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1; only line feeds end a line."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise InputError(f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8.") from error
