"""Answers in a jsonl file of one's own: `{"id": ..., "prediction": "..."}` a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.markers import response_of
from spiqa_tasks.runs.answer import Answer

FORM = "jsonl"
KEYS = frozenset({"id", "prediction"})


def first_object(path: Path) -> dict[str, Any] | None:
    """Return the object in the first line that is not blank; None where that is none.

    Raises:
        InputError: no UTF-8 text.
    """
    _, first = next(_lines(path), (0, ""))
    return _json_object(first)


def read_answers(path: Path) -> list[Answer]:
    """Return the answers of a file.

    Raises:
        InputError: a line that is not of the form, with its number.
    """
    return [_answer(path, number, line) for number, line in _lines(path)]


def _answer(path: Path, number: int, line: str) -> Answer:
    entry = _json_object(line)
    if entry is None:
        raise InputError(
            f"Expected line {number} of {path} to be a JSON object, found {line.strip()[:60]!r}. "
            "Complete or delete the line."
        )
    return Answer(*_id_and_response(path, number, entry))


def _id_and_response(path: Path, number: int, entry: Mapping[str, Any]) -> tuple[str, Response]:
    row_id, text = entry.get("id"), entry.get("prediction")
    if not isinstance(row_id, str | int) or isinstance(row_id, bool) or not isinstance(text, str):
        raise InputError(
            f'Expected line {number} of {path} to be {{"id": a string or whole number, "prediction": a string}}, '
            f"found id {row_id!r} and prediction {text!r}. Correct the line."
        )
    return str(row_id), response_of(text)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1; only line feeds end a line."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise InputError(f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8.") from error


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
