"""Read spreadsheets and separated cells, every cell as the text in the file."""

import codecs
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
_QUOTED = re.compile(r'"[^"]*"')
# Semicolons are what Excel writes in much of Europe, where a comma is in numbers.
_SEPARATORS = ",;|"
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")


def row_id(cells: Cells, columns: Iterable[str] = ID_COLUMNS) -> str:
    """Return the id of a row, in the first of the columns that it has."""
    return whole_id(next((cells[column] for column in columns if column in cells), "").strip())


def whole_id(text: str) -> str:
    """Return an id without the `.0` that spreadsheets add to whole numbers."""
    whole, _, fraction = text.partition(".")
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
    """Return the rows of a text with tabs, commas, semicolons or bars between its cells.

    Raises DataError: a broken one, or an encoding that cannot be known for sure.
    """
    import pandas as pd

    text = _text(path)
    try:
        table = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=_separator(text.partition("\n")[0]) or ",",
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
        )
    except (ValueError, OSError) as error:
        found = str(error).strip().removeprefix("Error tokenizing data. ")
        raise DataError(
            f"Expected {path} to be a table of separated cells, found {found}. Write quotation "
            "marks twice and around the whole cell, as pandas does, or save it as jsonl."
        ) from error
    return _rows(path, [_texts(row) for row in table.itertuples(index=False, name=None)])


def has_separator(path: Path) -> bool:
    """Return whether the first line of a text has cells."""
    return bool(_separator(_text(path).partition("\n")[0]))


def _separator(header: str) -> str:
    """The separator of a first line, or ''; a tab wins, then the one that is there most often."""
    if "\t" in header:
        return "\t"
    outside = _QUOTED.sub("", header)
    separator = max(_SEPARATORS, key=outside.count)
    return separator if separator in outside else ""


def _text(path: Path) -> str:
    """The text of a file in UTF-8, in UTF-16 with its mark, or as Excel writes it."""
    content = path.read_bytes()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", *_encodings_of_excel(content)]

    for encoding in encodings:
        try:
            return content.decode(encoding)
        except ValueError:
            continue
    raise DataError(
        f"Expected {path} to be UTF-8, found another encoding. Save it as UTF-8 and try again."
    )


def _encodings_of_excel(content: bytes) -> list[str]:
    """The only legacy encoding that a text can be in, or [].

    Chinese is written in pairs of high bytes; letters with accents mostly stand alone.
    """
    lengths = [len(run) for run in _HIGH_BYTES.findall(content)]
    pairs = sum(length % 2 == 0 for length in lengths)
    alone = lengths.count(1)
    if pairs > 0.9 * len(lengths) and max(lengths) > 2:
        return ["gb18030"]
    return ["cp1252"] if alone > len(lengths) / 2 else []


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
    """Return a cell as text: an empty one is empty, a whole float its integer."""
    if not isinstance(cell, float):
        return "" if cell is None else str(cell)
    if math.isnan(cell):  # as pandas has for an empty cell
        return ""
    return str(int(cell)) if cell.is_integer() else str(cell)


def decoded(text: str) -> str:
    """Return a text with the characters that a spreadsheet escaped."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
