"""Tables of answers with every cell as a text as it stands in the file: `None`, `NA`, `007` and `=1+1` are answers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.json_text import loads
from spiqa_tasks.files.pickles import load_pickle

Cells = Mapping[str, str]
"""Column -> text, of one row."""

ID_COLUMNS = ("id", "ID", "index")
"""Where a row's id may stand, the first that is there."""
LARGEST = 1 << 30
"""Bytes of the largest spreadsheet that is unpacked."""
_NUL = "\uffff"
"""Stands for NUL, at which pandas 2 ends a cell; no character, so no text has it."""
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def read_cells(path: Path, *, escaped: bool = True) -> list[Cells]:
    """Return the rows of a table.

    Args:
        path: an xlsx file, whose first sheet counts, a tsv or csv file with a header line, a json list of objects,
            jsonl, parquet, or a pickled table or dictionary of ids and answers.
        escaped: whether a spreadsheet wrote it or what it was made of, so that `_x000D_` and the like are decoded.

    Raises:
        InputError: the file cannot be read, a column is there twice, or openpyxl is not installed.
    """
    with path.open("rb") as file:
        start = file.read(4)
    by_suffix = {".json": _json, ".jsonl": _json_lines, ".parquet": _parquet, ".pkl": _pickled}
    read = _xlsx if start.startswith(b"PK") else by_suffix.get(path.suffix, _separated)
    return [{key: _decoded(text) for key, text in row.items()} for row in read(path)] if escaped else read(path)


def row_id(cells: Cells, columns: Iterable[str] = ID_COLUMNS) -> str:
    """Return the id of a row, in the first of the columns that is there; spreadsheets turn whole numbers into `3.0`."""
    text = next((cells[column] for column in columns if column in cells), "").strip()
    whole, _, fraction = text.partition(".")
    return whole if whole.isdigit() and fraction and not fraction.strip("0") else text


def _xlsx(path: Path) -> list[Cells]:
    require("excel", f"Reading {path}")
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > LARGEST:
            raise ValueError(f"a table of {size >> 20} MB, more than {LARGEST >> 20}")
        with path.open("rb") as file:  # a path would have to end in .xlsx
            sheet = load_workbook(file, read_only=True).worksheets[0]
            sheet.reset_dimensions()  # some writers leave wrong ones
            rows = [[_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise InputError(f"Expected {path} to be an xlsx spreadsheet, found {error}. Save it again as xlsx.") from error
    return _rows(path, [row for row in rows if any(row)])


def _separated(path: Path) -> list[Cells]:
    """The rows of a text with tabs between its cells, or commas in a csv file."""
    import pandas as pd

    form: dict[str, Any] = {"dtype": str, "keep_default_na": False, "na_filter": False}
    form["lineterminator"] = "\n"  # a carriage return alone is part of an answer
    try:
        text = path.read_bytes().decode("utf-8-sig")
        separator = "," if path.suffix.lower() == ".csv" and "\t" not in text.partition("\n")[0] else "\t"
        table = pd.read_csv(io.StringIO(text.replace("\0", _NUL)), sep=separator, header=None, **form)
    except pd.errors.ParserError as error:
        opened = re.search(r"EOF inside string starting at row (\d+)", str(error))
        where = f"a quotation mark in row {int(opened[1]) + 1} that is never closed" if opened else str(error).strip()
        raise InputError(
            f"Expected {path} to be a table of separated cells, found {where}. Write quotation marks twice and around "
            "the whole cell, as pandas does, or save the answers as jsonl."
        ) from error
    except (ValueError, OSError) as error:
        raise InputError(f"Expected {path} to be a tsv or csv file, found {error}. Save it again.") from error
    rows = [[_text(cell).replace(_NUL, "\0") for cell in row] for row in table.itertuples(index=False, name=None)]
    if rows[0][-1].endswith("\r"):
        rows = [[*row, last.removesuffix("\r")] for *row, last in rows]
    return _rows(path, rows)


def _rows(path: Path, cells: Sequence[Sequence[str]]) -> list[Cells]:
    """The rows below the first one, which names the columns, each once; cells that a row lacks are empty."""
    header, *body = cells or [[]]
    twice = [name for place, name in enumerate(header) if name and name in header[:place]]
    if twice:
        raise InputError(
            f"Expected {path} to be a table with each column once, found {twice[0]} more than once. Leave out "
            "the wrong one."
        )
    return [dict(zip(header, [*row, *[""] * len(header)], strict=False)) for row in body]


def _json(path: Path) -> list[Cells]:
    try:
        content = loads(path.read_bytes())
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(f"Expected {path} to be a JSON file, found {error}. Write it again.") from error
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError(f"Expected {path} to be a list of objects, found something else. Name a table of answers.")
    return [{str(key): _text(value) for key, value in row.items()} for row in content]


def _json_lines(path: Path) -> list[Cells]:
    try:
        rows = [loads(line) for line in path.read_text(encoding="utf-8-sig").split("\n") if line.strip()]
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(f"Expected {path} to have a JSON object a line, found {error}. Write it again.") from error
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"Expected {path} to have a JSON object a line, found something else. Write it again.")
    return [{str(key): _text(value) for key, value in row.items()} for row in rows]


def _parquet(path: Path) -> list[Cells]:
    import pyarrow
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"Expected {path} to be a parquet file, found {error}. Write it again.") from error
    return [{str(key): _text(value) for key, value in row.items()} for row in rows]


def _pickled(path: Path) -> list[Cells]:
    import pandas as pd

    content = load_pickle(path)
    if isinstance(content, dict) and all(isinstance(answer, str) for answer in content.values()):
        return [{"index": str(key), "prediction": answer} for key, answer in content.items()]
    if not isinstance(content, pd.DataFrame):
        raise InputError(f"Expected {path} to have a table of answers, found something else. Name a table of answers.")
    return [{str(key): _text(value) for key, value in row.items()} for row in content.to_dict("records")]


def _text(cell: Any) -> str:
    """The cell as text, an empty one empty."""
    return "" if cell is None or (isinstance(cell, float) and cell != cell) else str(cell)


def _decoded(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
