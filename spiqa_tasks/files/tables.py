"""Read spreadsheets and separated cells, every cell as the text in the file."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require

Cells = Mapping[str, str]
"""Column -> text, of one row."""

FORMS = "jsonl, json, csv, tsv, xlsx or parquet"
ID_COLUMNS = ("id", "ID", "index")
"""Columns of a row's id, in order of precedence."""
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def row_id(cells: Cells, columns: Iterable[str] = ID_COLUMNS) -> str:
    """Return the id of a row, in the first of the columns that is there; spreadsheets turn whole numbers into `3.0`."""
    text = next((cells[column] for column in columns if column in cells), "").strip()
    whole, _, fraction = text.partition(".")
    return whole if whole.isdigit() and fraction and not fraction.strip("0") else text


def xlsx(path: Path) -> list[Cells]:
    """Return the rows of the first sheet of a spreadsheet; DataError: a broken one."""
    require("excel", f"Reading {path}")
    from openpyxl import load_workbook

    try:
        with path.open("rb") as file:  # a path would have to end in .xlsx
            sheet = load_workbook(file, read_only=True).worksheets[0]
            sheet.reset_dimensions()  # some writers leave wrong ones
            rows = [[text_of(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise DataError(
            f"Expected {path} to be an xlsx spreadsheet, found {error}. Save it again as xlsx."
        ) from error
    return _rows(path, [row for row in rows if any(row)])


def separated(path: Path) -> list[Cells]:
    """Return the rows of a text with tabs between its cells, or commas where its first line has no tab.

    Raises DataError: a broken one.
    """
    import pandas as pd

    try:
        text = path.read_bytes().decode("utf-8-sig")
        separator = "\t" if "\t" in text.partition("\n")[0] else ","
        form: Any = {"header": None, "dtype": str, "keep_default_na": False, "na_filter": False}
        table = pd.read_csv(io.StringIO(text, newline=""), sep=separator, **form)
    except (ValueError, OSError) as error:
        found = str(error).strip().removeprefix("Error tokenizing data. ")
        raise DataError(
            f"Expected {path} to be a table of separated cells, found {found}. Write quotation marks twice and around "
            "the whole cell, as pandas does, or save it as jsonl."
        ) from error
    return _rows(
        path, [[text_of(cell) for cell in row] for row in table.itertuples(index=False, name=None)]
    )


def _rows(path: Path, cells: Sequence[Sequence[str]]) -> list[Cells]:
    """The rows below the first one, which names the columns, each once; cells that a row lacks are empty."""
    header, *body = cells or [[]]
    twice = [name for place, name in enumerate(header) if name and name in header[:place]]
    if twice:
        raise DataError(
            f"Expected {path} to have each column once, found {twice[0]} twice. Leave out the wrong one."
        )
    return [dict(zip(header, [*row, *[""] * len(header)], strict=False)) for row in body]


def text_of(cell: Any) -> str:
    """Return a cell as text, an empty one empty."""
    return "" if cell is None or (isinstance(cell, float) and cell != cell) else str(cell)


def decoded(text: str) -> str:
    """Return a text with the characters that a spreadsheet escaped."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
