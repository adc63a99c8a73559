"""Read tables of questions and answers in any common form, known by their content.

Each row is a mapping from column to value.
"""

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.json_text import json_lines, json_value
from spiqa_tasks.files.tables import FORMS, Cells, decoded, separated, text_of, xlsx

# Column -> value, of one row.
Fields = Mapping[str, Any]

# The column of a JSON object's keys, where its values are the rows.
KEY = "_key"
# Rows of a parquet file that are read at a time; each may hold pictures.
_BATCH = 64


def read_records(paths: Sequence[Path]) -> Iterator[Fields]:
    """Yield the rows of files in order; those of csv, tsv and xlsx have texts only.

    Raises DataError: an unknown form, or a broken file, with the position.
    """
    readers: Mapping[str, Callable[[Path], Iterable[Fields]]] = {
        "xlsx": read_cells,
        "separated": separated,
        "parquet": _all_parquet_rows,
        "json": _json_rows,
    }
    for path in paths:
        if not path.is_file():
            found = "a folder" if path.is_dir() else "no such file"
            raise DataError(f"Expected {path} to be a file, found {found}.")
        yield from readers[form_of(path)](path)


def form_of(path: Path) -> Literal["xlsx", "parquet", "json", "separated"]:
    """Return the form of a table by its content.

    Raises DataError: an empty, packed or pickled file.
    """
    with path.open("rb") as file:
        start = file.read(64)

    if start.startswith(b"\x80") or path.suffix == ".pkl":
        raise _unknown_form(path, "a pickle, which may run anything. Save it as tsv.")
    if start.startswith(b"\x1f\x8b"):
        raise _unknown_form(path, "a gzip file. Unpack it with gunzip.")
    if start.startswith(b"PK"):
        return "xlsx"
    if start.startswith(b"PAR1"):
        return "parquet"

    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "separated"
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if not text:
        raise _unknown_form(path, "an empty file. Write it again.")
    return "json" if text.startswith((b"[", b"{")) else "separated"


def _unknown_form(path: Path, found: str) -> DataError:
    return DataError(f"Expected {path} to be {FORMS}, found {found}")


def read_cells(path: Path, *, escaped: bool = True) -> list[Cells]:
    """Return the rows of a file with every cell as text: `None`, `NA`, `007` are answers.

    With `escaped`, spreadsheets' `_x000D_` and the like are decoded. Raises as `read_records`, and
    MissingPartError: no openpyxl.
    """
    records = xlsx(path) if form_of(path) == "xlsx" else read_records([path])
    rows = [_texts(row) for row in records]
    if not escaped:
        return rows
    return [{name: decoded(text) for name, text in row.items()} for row in rows]


def _texts(row: Fields) -> Cells:
    return {str(name): text_of(value) for name, value in row.items()}


def read_rows(
    paths: Sequence[Path], columns: Sequence[str], optional: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a release's parquet files with `columns` and known `optional` ones.

    Raises DataError: a broken file, or one without these columns.
    """

    def wanted(path: Path, names: Sequence[str]) -> list[str]:
        if missing := [column for column in columns if column not in names]:
            raise DataError(
                f"Expected {path} to have the columns {', '.join(columns)}; found no "
                f"{', '.join(missing)} among {', '.join(names)}. Fetch the released file."
            )
        return [name for name in names if name in (*columns, *optional)]

    return [row for path in paths for row in _parquet_rows(path, wanted)]


def _json_rows(path: Path) -> Iterator[Fields]:
    """Yield the rows of a JSON file, or of JSON lines whatever the file is called."""
    # A file with a single line may be either: its name decides that alone.
    content = None
    is_lines = path.suffix.lower() in (".jsonl", ".ndjson")
    if not is_lines:
        try:
            content = json_value(path)
        except DataError as error:
            is_lines = getattr(error.__cause__, "msg", "") == "Extra data"
            if not is_lines:
                raise

    if is_lines:
        yield from (row for _, row in json_lines(path))
        return

    rows = rows_in(content)
    if rows is None:
        raise DataError(
            f"Expected {path} to be a list of objects, or an object of them, "
            f"found {str(content)[:60]!r}. Write one object for each question."
        )
    yield from rows


def rows_in(content: Any) -> list[Fields] | None:
    """Return the rows of a JSON value, or None if it has none.

    They are a list of objects, an object of objects or texts (answers) by id, pandas' object of
    columns, or the only list of objects in an object.
    """
    if _are_objects(content):
        return list(content)
    return _rows_of_object(content) if isinstance(content, dict) else None


def _rows_of_object(content: Mapping[str, Any]) -> list[Fields] | None:
    if are_texts(content):
        return [{KEY: key, "prediction": text} for key, text in content.items()]

    values = list(content.values())
    if values and _are_objects(values):
        return _rows_of_columns(content) or [{KEY: key, **row} for key, row in content.items()]
    return _only_list(values)


def _only_list(values: Iterable[Any]) -> list[Fields] | None:
    lists = [value for value in values if value and _are_objects(value)]
    return list(lists[0]) if len(lists) == 1 else None


def are_texts(content: Any) -> bool:
    """Return whether a JSON value is an object of texts: predictions by id, or a row."""
    if not isinstance(content, dict) or not content:
        return False
    return all(isinstance(text, str) for text in content.values())


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _rows_of_columns(columns: Mapping[str, Fields]) -> list[Fields]:
    """Return the rows of columns that have the same rows, counted from 0; [] of other objects."""
    first, *others = [list(column) for column in columns.values()]
    is_counted = first == [str(number) for number in range(len(first))]
    if not is_counted or any(numbers != first for numbers in others):
        return []
    return [{name: column[number] for name, column in columns.items()} for number in first]


def _all_parquet_rows(path: Path) -> Iterator[Fields]:
    return _parquet_rows(path, lambda _, names: list(names))


def _parquet_rows(
    path: Path, wanted: Callable[[Path, Sequence[str]], list[str]]
) -> Iterator[dict[str, Any]]:
    """Yield the rows with those columns that `wanted` returns for the names of all."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        columns = wanted(path, file.schema_arrow.names)
        for batch in file.iter_batches(_BATCH, columns=columns):
            yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"Expected {path} to be a parquet file, found {error}. Fetch it again."
        ) from error
