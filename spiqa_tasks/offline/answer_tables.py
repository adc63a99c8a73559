"""Answers in tables: MMStar's xlsx submission and VLMEvalKit's xlsx, tsv and json files."""

from __future__ import annotations

from collections.abc import Iterable, KeysView
from pathlib import Path

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.tables import ID_COLUMNS, Cells, read_cells, row_id
from spiqa_tasks.hosts.vlmevalkit.markers import is_request_failure
from spiqa_tasks.offline.matching import Prediction, Predictions

SCORED_COLUMNS = frozenset({"hit", "log", "score"})
"""What VLMEvalKit adds to the copies of a table that it has scored."""
SUFFIXES = (".xlsx", ".tsv", ".json")


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
    failure = text if is_request_failure(text) else None
    return Prediction(
        row_id(cells),
        text,
        failure=failure,
        question=cells.get("question", ""),
        target=cells.get("answer", ""),
    )


def _columns(table: Iterable[Cells]) -> KeysView[str]:
    """The names of the columns, in their order."""
    return dict.fromkeys(column for row in table for column in row).keys()
