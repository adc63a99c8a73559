"""Answers that exist already, read from any file that a user may have; the format is told from the content."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.answer_tables import find_table, read_table
from spiqa_tasks.offline.matching import Prediction, Predictions
from spiqa_tasks.offline.spiqa_responses import is_response_file, read_responses

FORMATS = (
    "a samples file of lmms-eval (*_samples_<task>.jsonl, from --log_samples) or the output folder that has one, "
    'a jsonl file of {"id": ..., "prediction": "..."}, a folder of SPIQA\'s <paper>_response.json files, '
    "an xlsx, tsv or json table with the columns index (or id) and prediction (MMStar's submission, VLMEvalKit), or "
    "VLMEvalKit's output folder"
)


def read_predictions(place: Path, task: str, rows: Sequence[Mapping[str, Any]]) -> Predictions:
    """The answers in a file or folder, with the ids that the file gives them.

    Args:
        place: what the user named.
        task: the task's name; picks the samples file in a folder of the host.
        rows: the task's rows; SPIQA's response files name questions by their text.

    Raises:
        InputError: nothing there, an unknown format, or a file that is broken; with the place of the fault.
    """
    if place.is_dir():
        return _read_folder(place, task, rows)
    if not place.is_file():
        raise InputError(f"Expected predictions at {place}, found no such file or folder. Give {FORMATS}.")
    if is_response_file(place):
        return read_responses([place], rows)
    return read_table(place) if is_table(place) else _read_text(place)


def is_table(path: Path) -> bool:
    """Return whether a file is a table of answers: an xlsx, a tsv with a column `prediction`, or a json list."""
    if not path.is_file() or is_response_file(path):
        return False
    with path.open("rb") as file:
        first = file.readline().decode("utf-8-sig", errors="replace")
    if zipfile.is_zipfile(path) or (path.suffix == ".json" and first.lstrip().startswith("[")):
        return True
    return "\t" in first and "prediction" in next(csv.reader([first], delimiter="\t"))


def _read_folder(folder: Path, task: str, rows: Sequence[Mapping[str, Any]]) -> Predictions:
    responses = sorted(folder.glob("*_response.json"))
    if responses:
        return read_responses(responses, rows)
    samples = sorted(folder.rglob(f"*_samples_{task}.jsonl"))
    if len(samples) == 1:
        return _read_text(samples[0])
    if samples:
        names = ", ".join(str(path.relative_to(folder)) for path in samples)
        raise InputError(f"Expected one samples file of {task} in {folder}, found {names}. Name one of them.")
    table = find_table(folder)
    if table is None:
        raise InputError(
            f"Expected *_samples_{task}.jsonl, *_response.json files or a table of answers in {folder}, found none. "
            f"Give {FORMATS}."
        )
    return read_table(table)


def _read_text(path: Path) -> Predictions:
    lines = _lines(path)
    number, first = next(lines, (0, ""))
    entry = _json_object(first)
    if entry is None:
        raise InputError(f"Expected {path} in a known format, found {_beginning(first)}. Give {FORMATS}.")
    objects = ((number, entry), *((number, _object_of(path, number, line)) for number, line in lines))
    if "resps" in entry or "filtered_resps" in entry:
        items = [_sample(path, number, item) for number, item in objects]
        return Predictions(path, "lmms-eval", tuple(items))
    if {"id", "prediction"} <= entry.keys():
        return Predictions(path, "jsonl", tuple(_plain(path, number, item) for number, item in objects))
    raise InputError(
        f"Expected {path} in a known format, found JSON with the keys {', '.join(map(str, entry))}. Give {FORMATS}."
    )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1; only line feeds end a line."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise InputError(f"Expected {path} to be UTF-8 text, found {error}. Give {FORMATS}.") from error


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _object_of(path: Path, number: int, line: str) -> dict[str, Any]:
    entry = _json_object(line)
    if entry is None:
        raise InputError(
            f"Expected line {number} of {path} to be a JSON object, found {_beginning(line)}. "
            "Complete or delete the line."
        )
    return entry


def _beginning(line: str) -> str:
    return repr(line.strip()[:60]) if line.strip() else "an empty file"


def _plain(path: Path, number: int, entry: Mapping[str, Any]) -> Prediction:
    row_id, text = entry.get("id"), entry.get("prediction")
    if not isinstance(row_id, str | int) or isinstance(row_id, bool) or not isinstance(text, str):
        raise InputError(
            f'Expected line {number} of {path} to be {{"id": a string or whole number, "prediction": a string}}, '
            f"found id {row_id!r} and prediction {text!r}. Correct the line."
        )
    return Prediction(str(row_id), text)


def _sample(path: Path, number: int, entry: Mapping[str, Any]) -> Prediction:
    """A sample of the host: the answer after its filters (reasoning removed), the id from any of our records."""
    records = [value for value in entry.values() if isinstance(value, dict) and "id" in value]
    answers = entry.get("filtered_resps", entry.get("resps"))
    while isinstance(answers, list) and answers:
        answers = answers[0]
    if not records or not isinstance(answers, str):
        missing = "no answer" if records else "no record with an id"
        raise InputError(
            f"Expected line {number} of {path} to be a sample of one of this package's tasks, found {missing}. "
            "Name the samples file of such a task."
        )
    whole = next((record for record in records if "signature" in record), records[0])
    details = whole.get("details", {})
    figures = None if "step" in details else details.get("figures")  # a document of one figure is not all of them
    failure = str(whole.get("reason")) if whole.get("status") == "request_failed" else None
    shown = tuple(figures) if figures else None
    return Prediction(str(whole["id"]), answers, shown, whole.get("signature"), failure)
