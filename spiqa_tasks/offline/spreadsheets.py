"""Answers in tables: MMStar's xlsx submission and VLMEvalKit's xlsx and tsv files."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.matching import Prediction, Predictions

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 1 << 30
"""Bytes of the largest spreadsheet that is unpacked."""
ID_COLUMNS = ("id", "ID", "index")
"""Where a row's id may stand, the first that is there."""


def read_spreadsheet(path: Path) -> Predictions:
    """The answers of an xlsx file's first sheet.

    Raises:
        InputError: no spreadsheet, openpyxl is not installed, or a column is missing.
    """
    import pandas as pd

    if importlib.util.find_spec("openpyxl") is None:
        raise InputError(f"Expected openpyxl to read {path}, found it not installed: pip install spiqa-tasks[excel].")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > LARGEST:
            raise InputError(f"Expected a table of at most {LARGEST >> 20} MB in {path}, found {size >> 20} MB.")
        table = pd.read_excel(path, dtype=str, keep_default_na=False, na_filter=False, engine="openpyxl")
    except InputError:
        raise
    except Exception as error:  # a damaged file can fail anywhere in openpyxl, zipfile and the XML parser
        raise InputError(
            f"Expected {path} to be an xlsx spreadsheet, found {type(error).__name__}: {error}. Save it again as xlsx."
        ) from error
    return _read(path, table)


def read_tsv(path: Path) -> Predictions:
    """The answers of a tab-separated file with a header line.

    Raises:
        InputError: not tab-separated, or a column is missing.
    """
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
    return _read(path, table)


def _read(path: Path, table: pd.DataFrame) -> Predictions:
    """Texts are taken as they are: an answer `NA` or `None` is an answer; an empty cell is an empty answer."""
    id_column = next((column for column in ID_COLUMNS if column in table.columns), None)
    if id_column is None or "prediction" not in table.columns:
        raise InputError(
            f"Expected {path} to have the columns index (or id) and prediction, found "
            f"{', '.join(map(str, table.columns)) or 'none'}. Rename the columns."
        )
    pairs = zip(table[id_column], table["prediction"], strict=True)
    items = tuple(Prediction(_row_id(row_id), _text(text)) for row_id, text in pairs)
    return Predictions(path, "table", items)


def _row_id(cell: object) -> str:
    """The id; spreadsheets turn whole numbers into `3.0`."""
    text = _text(cell).strip()
    whole, _, fraction = text.partition(".")
    return whole if whole.isdigit() and fraction and not fraction.strip("0") else text


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else ""
