"""Answers in tables: MMStar's xlsx submission and VLMEvalKit's xlsx, tsv and json files.

Every cell is a text as it stands in the file: the answers `None`, `NA`, `007` and `=1+1` are answers.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, KeysView, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.offline.matching import Prediction, Predictions

Cells = Mapping[str, str]
"""Column -> text, of one row."""

ID_COLUMNS = ("id", "ID", "index")
"""Where a row's id may stand, the first that is there."""
SCORED_COLUMNS = frozenset({"hit", "log", "score"})
"""What VLMEvalKit adds to the copies of a table that it has scored."""
FAILURES = ("Failed to obtain answer", "Fail to obtain answer")
"""How VLMEvalKit writes an answer that its API models could not get."""
LARGEST = 1 << 30
"""Bytes of the largest spreadsheet that is unpacked."""
SUFFIXES = (".xlsx", ".tsv", ".json")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def read_cells(path: Path) -> list[Cells]:
    """Return the rows of a table.

    Args:
        path: an xlsx file, whose first sheet counts, a tsv file with a header line, or a json list of objects.

    Raises:
        InputError: the file cannot be read, or openpyxl is not installed.
    """
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(b"PK"):
        return _xlsx(path)
    return _json(path) if path.suffix == ".json" else _tsv(path)


def row_id(cells: Cells) -> str:
    """Return the id of a row; spreadsheets turn whole numbers into `3.0`."""
    text = next((cells[column] for column in ID_COLUMNS if column in cells), "").strip()
    whole, _, fraction = text.partition(".")
    return whole if whole.isdigit() and fraction and not fraction.strip("0") else text


def read_table(path: Path) -> Predictions:
    """Return the answers of a table.

    Raises:
        InputError: see `read_cells`; or a column is missing.
    """
    table = read_cells(path)
    columns = _columns(table)
    if not columns & ID_COLUMNS or "prediction" not in columns:
        raise InputError(
            f"Expected {path} to have the columns index (or id) and prediction, found "
            f"{', '.join(columns) or 'none'}. Rename the columns."
        )
    return Predictions(path, "table", tuple(map(_prediction, table)))


def is_own(table: Iterable[Cells]) -> bool:
    """Return whether a table has the questions and true answers beside the predictions."""
    return {"question", "answer", "prediction"} <= _columns(list(table))


def find_table(folder: Path) -> Path | None:
    """Return the newest table of answers below a folder that VLMEvalKit wrote; None where there is none.

    Raises:
        InputError: tables of several datasets or models.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and _is_answers(path):
            other = found.get(path.name)
            if other is None or path.stat().st_mtime_ns > other.stat().st_mtime_ns:
                found[path.name] = path
    if len(found) > 1:
        raise InputError(f"Expected one table of answers in {folder}, found {', '.join(found)}. Name one of them.")
    return next(iter(found.values()), None)


def _is_answers(path: Path) -> bool:
    try:
        columns = _columns(read_cells(path))
    except InputError:
        return False
    return "prediction" in columns and bool(columns & ID_COLUMNS) and not columns & SCORED_COLUMNS


def _prediction(cells: Cells) -> Prediction:
    text = cells["prediction"]
    failure = text if text.strip().startswith(FAILURES) else None
    return Prediction(
        row_id(cells),
        text,
        failure=failure,
        question=cells.get("question", ""),
        target=cells.get("answer", ""),
    )


def _xlsx(path: Path) -> list[Cells]:
    require("excel", f"Reading {path}")
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > LARGEST:
            raise ValueError(f"a table of {size >> 20} MB, more than {LARGEST >> 20}")
        sheet = load_workbook(path, read_only=True).worksheets[0]
        sheet.reset_dimensions()  # some writers leave wrong ones
        rows = [[_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise InputError(f"Expected {path} to be an xlsx spreadsheet, found {error}. Save it again as xlsx.") from error
    header, *body = rows or [[]]
    return [dict(zip(header, [*row, *[""] * len(header)], strict=False)) for row in body if any(row)]


def _tsv(path: Path) -> list[Cells]:
    import pandas as pd

    try:
        table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8-sig")
    except pd.errors.ParserError as error:
        opened = re.search(r"EOF inside string starting at row (\d+)", str(error))
        where = f"a quotation mark in row {int(opened[1]) + 1} that is never closed" if opened else str(error)
        raise InputError(
            f"Expected {path} to be a tab-separated file, found {where}. Write quotation marks twice and around the "
            "whole cell, as pandas does, or save the answers as jsonl."
        ) from error
    except (ValueError, OSError) as error:
        raise InputError(f"Expected {path} to be a tab-separated file, found {error}. Save it again as tsv.") from error
    rows: list[Cells] = [{str(key): _text(value) for key, value in row.items()} for row in table.to_dict("records")]
    return rows


def _json(path: Path) -> list[Cells]:
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, OSError) as error:
        raise InputError(f"Expected {path} to be a JSON file, found {error}. Write it again.") from error
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError(f"Expected {path} to be a list of objects, found something else. Name a table of answers.")
    return [{str(key): _text(value) for key, value in row.items()} for row in content]


def _columns(table: Iterable[Cells]) -> KeysView[str]:
    """The names of the columns, in their order."""
    return dict.fromkeys(column for row in table for column in row).keys()


def _text(cell: Any) -> str:
    """The cell as text, an empty one empty; `_x000D_` and the like, which spreadsheets write, are decoded."""
    text = "" if cell is None or (isinstance(cell, float) and cell != cell) else str(cell)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
