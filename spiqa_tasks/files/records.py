"""Read tables of questions and answers in any common form, known by their content, as one mapping for each row."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.json_text import json_lines, json_value
from spiqa_tasks.files.tables import FORMS, Cells, decoded, separated, text_of, xlsx

Fields = Mapping[str, Any]
"""Column -> value, of one row."""

KEY = "_key"
"""The column of a JSON object's keys, where its values are the rows."""
_BATCH = 64
"""Rows of a parquet file that are read at a time; each may hold pictures."""


def read_records(paths: Sequence[Path]) -> Iterator[Fields]:
    """Yield the rows of files in order; those of csv, tsv and xlsx have texts only.

    Raises DataError: an unknown form, or a broken file, with the position.
    """
    readers: Mapping[str, Callable[[Path], Iterable[Fields]]] = {
        "xlsx": read_cells,
        "separated": separated,
        "parquet": lambda path: _parquet_rows(path, lambda _, names: list(names)),
        "json": _json,
    }
    for path in paths:
        if not path.is_file():
            found = "a folder" if path.is_dir() else "no such file"
            raise DataError(f"Expected {path} to be a file, found {found}.")
        yield from readers[form_of(path)](path)


def form_of(path: Path) -> Literal["xlsx", "parquet", "json", "separated"]:
    """Return the form of a table by its content. Raises DataError: an empty file, or a pickled table."""
    with path.open("rb") as file:
        start = file.read(64)
    if start[:1] == b"\x80" or path.suffix == ".pkl":
        raise DataError(
            f"Expected {path} to be {FORMS}, found a pickle, which may run anything. Save it as tsv."
        )
    if start[:2] == b"\x1f\x8b":
        raise DataError(f"Expected {path} to be {FORMS}, found a gzip file. Unpack it with gunzip.")
    if start[:2] == b"PK":
        return "xlsx"
    if start[:4] == b"PAR1":
        return "parquet"
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise DataError(f"Expected {path} to be {FORMS}, found an empty file. Write it again.")
    return "json" if text[:1] in (b"[", b"{") else "separated"


def read_cells(path: Path, *, escaped: bool = True) -> list[Cells]:
    """Return the rows of a file of `read_records` with every cell as text: `None`, `NA`, `007`, `=1+1` are answers.

    With `escaped`, spreadsheets' `_x000D_` and the like are decoded. Raises also MissingPartError: no openpyxl.
    """
    if form_of(path) == "xlsx":
        rows = xlsx(path)
    else:
        rows = [
            {str(key): text_of(value) for key, value in row.items()} for row in read_records([path])
        ]
    return [{key: decoded(text) for key, text in row.items()} for row in rows] if escaped else rows


def read_rows(
    paths: Sequence[Path], columns: Sequence[str], optional: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a release's parquet files with `columns` and known `optional` ones; DataError: broken file."""

    def wanted(path: Path, names: Sequence[str]) -> list[str]:
        if missing := [column for column in columns if column not in names]:
            raise DataError(
                f"Expected {path} to have the columns {', '.join(columns)}; found no {', '.join(missing)} "
                f"among {', '.join(names)}. Fetch the released file."
            )
        return [name for name in names if name in (*columns, *optional)]

    return [row for path in paths for row in _parquet_rows(path, wanted)]


def _json(path: Path) -> Iterator[Fields]:
    """The rows of a JSON file, or of JSON lines whatever the file is called."""
    is_lines = path.suffix.lower() in (
        ".jsonl",
        ".ndjson",
    )  # a single line may be either: the name decides that alone
    try:
        content = None if is_lines else json_value(path)
    except DataError as error:
        is_lines = getattr(error.__cause__, "msg", "") == "Extra data"
        if not is_lines:
            raise
    if is_lines:
        yield from (row for _, row in json_lines(path))
    elif (rows := rows_in(content)) is not None:
        yield from rows
    else:
        raise DataError(
            f"Expected {path} to be a list of objects, or an object of them, found {str(content)[:60]!r}. Write one "
            "object for each question."
        )


def rows_in(content: Any) -> list[Fields] | None:
    """Return the rows of a JSON list, an object of objects or texts (answers by id), or its only list; None without."""
    if isinstance(content, list) and all(isinstance(row, dict) for row in content):
        return content
    if not isinstance(content, dict):
        return None
    if content and all(isinstance(row, dict) for row in content.values()):
        return [{KEY: key, **row} for key, row in content.items()]
    if are_texts(content):
        return [{KEY: key, "prediction": text} for key, text in content.items()]
    lists = [
        value
        for value in content.values()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    return rows_in(lists[0]) if len(lists) == 1 else None


def are_texts(content: Any) -> bool:
    """Return whether a JSON value is an object of texts: predictions by id, or a row."""
    return (
        isinstance(content, dict)
        and bool(content)
        and all(isinstance(text, str) for text in content.values())
    )


def _parquet_rows(
    path: Path, wanted: Callable[[Path, Sequence[str]], list[str]]
) -> Iterator[dict[str, Any]]:
    """The rows with those columns that `wanted` returns for the names of all."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        for batch in file.iter_batches(_BATCH, columns=wanted(path, file.schema_arrow.names)):
            yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"Expected {path} to be a parquet file, found {error}. Fetch it again."
        ) from error
