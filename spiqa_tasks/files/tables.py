"""Read spreadsheets and separated cells, every cell as the text in the file."""

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require

# Column -> text, of one row.
Cells = Mapping[str, str]

FORMS = "jsonl, json, csv, tsv, xlsx or parquet"
# Columns of a row's id, in order of precedence.
ID_COLUMNS = ("id", "ID", "index")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def row_id(cells: Cells, columns: Iterable[str] = ID_COLUMNS) -> str:
    """Return the id of a row, in the first of the columns that it has."""
    text = next((cells[column] for column in columns if column in cells), "").strip()
    whole, _, fraction = text.partition(".")
    # Spreadsheets turn whole numbers into `3.0`.
    is_whole = whole.isdigit() and fraction != "" and fraction.strip("0") == ""
    return whole if is_whole else text


def xlsx(path: Path) -> list[Cells]:
    """Return the rows of the first sheet of a spreadsheet; DataError: a broken one."""
    require("excel", f"Reading {path}")
    from openpyxl import load_workbook

    try:
        with path.open("rb") as file:  # a path would have to end in .xlsx
            sheet = load_workbook(file, read_only=True).worksheets[0]
            sheet.reset_dimensions()  # some writers leave wrong ones
            rows = [_texts(row) for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise DataError(
            f"Expected {path} to be an xlsx spreadsheet, found {error}. Save it again as xlsx."
        ) from error
    return _rows(path, [row for row in rows if any(row)])


def separated(path: Path) -> list[Cells]:
    """Return the rows of a text with tabs between its cells, or commas if its header has no tab.

    Raises DataError: a broken one.
    """
    import pandas as pd

    try:
        text = path.read_bytes().decode("utf-8-sig")
        header = text.partition("\n")[0]
        table = pd.read_csv(
            io.StringIO(text, newline=""),
            sep="\t" if "\t" in header else ",",
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
        )
    except UnicodeDecodeError as error:
        raise DataError(
            f"Expected {path} to be UTF-8, found another encoding. Save it as UTF-8 and try again."
        ) from error
    except (ValueError, OSError) as error:
        found = str(error).strip().removeprefix("Error tokenizing data. ")
        raise DataError(
            f"Expected {path} to be a table of separated cells, found {found}. Write quotation "
            "marks twice and around the whole cell, as pandas does, or save it as jsonl."
        ) from error
    return _rows(path, [_texts(row) for row in table.itertuples(index=False, name=None)])


def _rows(path: Path, cells: Sequence[Sequence[str]]) -> list[Cells]:
    """Return the rows below the first one, which names the columns, each once."""
    header, *body = cells or [[]]
    named = [name for name in header if name]
    for name in named:
        if named.count(name) > 1:
            raise DataError(
                f"Expected {path} to have each column once, found {name} twice. Leave out the "
                "wrong one."
            )
    return [dict(zip_longest(header, row[: len(header)], fillvalue="")) for row in body]


def _texts(row: Iterable[Any]) -> list[str]:
    return [text_of(cell) for cell in row]


def text_of(cell: Any) -> str:
    """Return a cell as text, an empty one empty."""
    is_nan = isinstance(cell, float) and math.isnan(cell)
    return "" if cell is None or is_nan else str(cell)


def decoded(text: str) -> str:
    """Return a text with the characters that a spreadsheet escaped."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
