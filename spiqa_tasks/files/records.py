"""Read tables of questions and answers in any common form, known by their content.

Each row is a mapping from column to value; cells of csv, tsv and xlsx are the texts in the file.
"""

import codecs
import csv
import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files.json_text import conforms, json_lines, json_value

# Column -> value, of one row.
Fields = Mapping[str, Any]

# Columns of a row's id, in order of precedence.
ID_COLUMNS = ("id", "ID", "index")

# The column of a JSON object's keys, where its values are the rows.
KEY = "_key"

# Rows of a parquet file that are read at a time; each may hold pictures.
_BATCH = 64

# Suffix -> remedy for a zip archive that a program reads: inspect_ai's log.
_UNPACK = {".eval": "Write it as JSON: inspect log dump LOG.eval > log.json."}

# How UTF-16 begins.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# A character that a spreadsheet escaped.
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")

# A whole number as spreadsheets write it.
_WHOLE = re.compile(r"\A(\d+)\.0+\Z")

# Semicolons are what Excel writes in much of Europe, where a comma is in numbers.
_SEPARATORS = ",;|"

# The line in which Excel is told the separator; its end keeps the numbers of lines.
_TOLD = re.compile(r"\Asep=.(?=\r?\n)")

# A cell in quotes, whose separators separate nothing.
_QUOTED = re.compile(r'"[^"]*"')
# A run of bytes that are no ASCII: languages of East Asia have pairs of them, cp1252 lone ones.
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
# Encodings of pairs, of which Excel writes one in each language.
_OF_PAIRS = ["gb18030", "big5", "cp932", "euc_jp", "cp949"]
# Share of odd characters up to which a text counts as its language: tables mix in English.
_MOST_ODD = 0.6
# Small letters with an accent, as Excel for Mac wrote them, read as cp1252.
_MAC_LETTERS = re.compile("[a-z][ŽŠŸ¸‡‰Õ]")

# Characters of a cell, at most: answers may have pictures in base64, for which the csv module's own
# bound is too low. Windows takes no higher one.
_LONGEST_CELL = 2**31 - 1


def read_records(path: Path) -> Iterable[Fields]:
    """Return the rows of a file in order.

    Raises DataError: an unknown form, or a broken file, with the position. MissingPartError: no
    openpyxl, for xlsx.
    """
    readers: dict[str, Callable[[Path], Iterable[Fields]]] = {
        "xlsx": _spreadsheet,
        "separated": _separated,
        "parquet": _parquet_rows,
        "json": _json_rows,
    }
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        raise DataError(f"Expected {path} to be a file, found {found}.")
    return readers[form_of(path)](path)


def read_cells(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file with every cell as text: `None`, `NA`, `007` are answers.

    Raises as `read_records`.
    """
    return [
        {str(name): text_of(value) for name, value in row.items()} for row in read_records(path)
    ]


def read_rows(
    paths: Sequence[Path], columns: Sequence[str], optional: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a release's parquet files with `columns` and known `optional` ones.

    Raises DataError: a broken file, or one without these columns.
    """
    return [row for path in paths for row in _parquet_rows(path, columns, optional)]


def form_of(path: Path) -> Literal["xlsx", "parquet", "json", "separated"]:
    """Return the form of a table by its content.

    Raises DataError: an empty, packed (but for xlsx) or pickled file.
    """
    with path.open("rb") as file:
        start = file.read(64)

    if start.startswith(b"\x80") or path.suffix == ".pkl":
        raise _unknown_form(path, "a pickle, which may run anything. Save it as tsv.")
    if start.startswith(b"\x1f\x8b"):
        raise _unknown_form(path, "a gzip file. Unpack it with gunzip.")
    if start.startswith(b"PK"):
        if _is_other_archive(path):
            raise _unknown_form(path, f"a zip archive. {_UNPACK.get(path.suffix, 'Unpack it.')}")
        return "xlsx"
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(_UTF16):
        return "separated"

    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if not text:
        raise _unknown_form(path, "an empty file. Write it again.")
    return "json" if text.startswith((b"[", b"{")) else "separated"


def _is_other_archive(path: Path) -> bool:
    """Return whether a file is a whole zip archive, but no spreadsheet."""
    # one that is damaged is named where its cells are read
    with (
        suppress(zipfile.BadZipFile, NotImplementedError, ValueError),
        zipfile.ZipFile(path) as archive,
    ):
        return "[Content_Types].xml" not in archive.namelist()
    return False


def _unknown_form(path: Path, found: str) -> DataError:
    """Return the error for a file that is no table."""
    return DataError(f"Expected {path} to be jsonl, json, csv, tsv, xlsx or parquet, found {found}")


def whole_id(text: str) -> str:
    """Return an id without the `.0` of spreadsheets: `12` of `12.0`."""
    return _WHOLE.sub(r"\1", text)


def text_of(cell: Any) -> str:
    """Return a cell as text: `12` of 12.0, '' of None and NaN."""
    if not isinstance(cell, float):
        return "" if cell is None else str(cell)
    if math.isnan(cell):  # as pandas has for an empty cell
        return ""
    return str(int(cell)) if cell.is_integer() else str(cell)


def decoded(text: str) -> str:
    """Return a text with the characters that a spreadsheet escaped: a line break of `_x000A_`."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _spreadsheet(path: Path) -> list[Fields]:
    """Return the rows of the only sheet of a spreadsheet with cells; DataError: a broken one."""
    require("excel", f"Reading {path}")
    from openpyxl import load_workbook

    try:
        with path.open("rb") as file:  # a path would have to end in .xlsx
            sheets = load_workbook(file, read_only=True).worksheets
            cells = {sheet.title: _cells_of(sheet) for sheet in sheets}
            if not sheets:
                raise ValueError("no sheet")
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise DataError(
            f"Expected {path} to be an xlsx spreadsheet, found {error}. Save it again as xlsx."
        ) from error

    filled = {title: rows for title, rows in cells.items() if rows}
    if len(filled) > 1:
        raise DataError(
            f"Expected {path} to have one sheet with cells, found {', '.join(filled)}. Save the "
            "one with the answers as a file of its own."
        )
    return _rows(path, next(iter(filled.values()), []))


def _cells_of(sheet: Any) -> list[list[str]]:
    """Return the cells of a sheet as texts, without empty rows."""
    sheet.reset_dimensions()  # some writers leave wrong ones
    rows = [[decoded(text_of(cell)) for cell in row] for row in sheet.iter_rows(values_only=True)]
    return [row for row in rows if "".join(row).strip()]


def _separated(path: Path) -> list[Fields]:
    """Return the rows of a text with tabs, commas, semicolons or bars between its cells.

    Raises DataError: a broken one (on Python 3.10 also one with a NUL), or an encoding that cannot
    be known for sure.
    """
    text = _text(path)
    csv.field_size_limit(_LONGEST_CELL)
    lines = csv.reader(
        io.StringIO(text, newline=""), delimiter=_separator(text) or ",", strict=True
    )
    rows: list[list[str]] = []
    start = 1
    try:
        for cells in lines:
            if "".join(cells).strip():  # Excel leaves rows of separators alone
                rows.append(cells)
                if len(cells) > len(rows[0]):
                    raise csv.Error(f"{len(cells)} cells below {len(rows[0])} columns")
            start = lines.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"Expected {path} to have separated cells, found {error} in the row that begins "
            f"in line {start}. Quote cells, or save it as jsonl."
        ) from error
    return _rows(path, rows)


def _rows(path: Path, cells: list[list[str]]) -> list[Fields]:
    """Return the rows below the first one, which names the columns, each once."""
    header, *body = cells or [[]]
    for name, count in Counter(header).items():
        if name and count > 1:
            raise DataError(
                f"Expected {path} to have each column once, found {name} twice. Leave out the "
                "wrong one."
            )
    return [dict(zip_longest(header, row[: len(header)], fillvalue="")) for row in body]


def has_separator(path: Path) -> bool:
    """Return whether the first line of a text has cells."""
    return _separator(_text(path)) != ""


def _separator(text: str) -> str:
    """Return the separator of the first line: a tab, else the commonest of `_SEPARATORS`, or ''."""
    outside = _QUOTED.sub("", text.lstrip("\r\n").partition("\n")[0])
    if "\t" in outside:
        return "\t"
    separator = max(_SEPARATORS, key=outside.count)
    return separator if separator in outside else ""


def _text(path: Path) -> str:
    """Return the text of a file in UTF-8, in UTF-16 with its mark, or as Excel writes it."""
    content = path.read_bytes()
    if content.startswith(_UTF16):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", _encoding_of_excel(content)]

    for encoding in encodings:
        with suppress(ValueError):
            text = content.decode(encoding)
            if encoding != "cp1252" or not _MAC_LETTERS.search(text):
                return _TOLD.sub("", text)
    raise DataError(
        f"Expected {path} to be UTF-8, UTF-16, GB18030 or Windows-1252, found another encoding."
        " Save it as UTF-8."
    )


def _encoding_of_excel(content: bytes) -> str:
    """Return the only legacy encoding that a text can be in, else UTF-8.

    Chinese is written in pairs of high bytes; letters with accents mostly stand alone.
    """
    from charset_normalizer import from_bytes

    lengths = Counter(len(run) for run in _HIGH_BYTES.findall(content))
    pairs = sum(count for length, count in lengths.items() if length % 2 == 0)
    # a single pair may be two letters with accents
    if pairs > 0.9 * lengths.total() and max(lengths) > 2:
        found = from_bytes(content, threshold=_MOST_ODD, cp_isolation=_OF_PAIRS).best()
        return "gb18030" if found is not None and found.encoding == "gb18030" else "utf-8"
    return "cp1252" if lengths[1] > lengths.total() / 2 else "utf-8"


def _parquet_rows(
    path: Path, columns: Sequence[str] = (), optional: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the rows with `columns` and those `optional` ones that are there, or with all."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        names = file.schema_arrow.names
        missing = [column for column in columns if column not in names]
        if missing:
            raise DataError(
                f"Expected {path} to have the columns {', '.join(columns)}; found no "
                f"{', '.join(missing)} among {', '.join(names)}. Fetch the released file."
            )
        if columns:
            names = [name for name in names if name in (*columns, *optional)]
        for batch in file.iter_batches(_BATCH, columns=names):
            yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"Expected {path} to be a parquet file, found {error}. Fetch it again."
        ) from error


def _json_rows(path: Path) -> Iterable[Fields]:
    """Return the rows of a JSON file, or of JSON lines whatever the file is called."""
    lines = (row for _, row in json_lines(path))
    # a file with a single line may be either: its name decides that alone
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return lines
    try:
        content = json_value(path)
    except DataError as error:
        if getattr(error.__cause__, "msg", "") == "Extra data":
            return lines
        raise

    rows = rows_in(content)
    if rows is None:
        raise DataError(
            f"Expected {path} to be a list of objects, or an object of them, "
            f"found {str(content)[:60]!r}. Write one object for each question."
        )
    return rows


def rows_in(content: Any) -> list[Fields] | None:
    """Return the rows of a JSON value, or None if it has none.

    They are a list of objects, an object of objects or texts (answers) by id, pandas' object of
    columns, or the only list of objects in an object.
    """
    if _are_objects(content):
        return list(content)
    return _rows_of_object(content) if isinstance(content, dict) else None


def _rows_of_object(content: dict[str, Any]) -> list[Fields] | None:
    """Return the rows within a JSON object, or None if it has none in a known form.

    Forms: id -> answer; id -> row; column -> values by id; names of columns beside lists of cells,
    as pandas' `split` and W&B's tables; a list of rows beside settings.
    """
    if are_texts(content):
        return [{KEY: key, "prediction": text} for key, text in content.items()]

    if content and _are_objects([*content.values()]):
        return _rows_of_columns(content) or [{KEY: key, **row} for key, row in content.items()]

    names: Any = content.get("columns")
    lines: Any = content.get("data")
    if conforms(names, list[str]) and conforms(lines, list[list[Any]]):
        return [dict(zip(names, cells, strict=False)) for cells in lines]

    return _rows_beside_settings(content)


def _rows_beside_settings(content: Mapping[str, Any]) -> list[Fields] | None:
    """Return the only list of objects, of whatever name, or inspect_ai's, or None."""
    # the log repeats the scores of its samples
    lists = [
        value
        for key, value in content.items()
        if key != "reductions" and value and _are_objects(value)
    ]
    return list(lists[0]) if len(lists) == 1 else None


def are_texts(content: Any) -> bool:
    """Return whether a JSON value is an object of texts: predictions by id, or a row."""
    return bool(content) and conforms(content, dict[str, str])


def _are_objects(value: Any) -> bool:
    """Return whether a JSON value is a list of objects: rows."""
    return conforms(value, list[dict[str, Any]])


def _rows_of_columns(columns: Mapping[str, Fields]) -> list[Fields]:
    """Return the rows of columns that have the same rows, counted from 0; [] of other objects."""
    keys = [list(column) for column in columns.values()]
    counted = list(map(str, range(len(keys[0]))))
    if any(numbers != counted for numbers in keys):
        return []
    return [{name: column[number] for name, column in columns.items()} for number in counted]
