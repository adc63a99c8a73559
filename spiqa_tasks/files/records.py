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
"""Rows of a parquet or Arrow file that are read at a time; each may hold pictures."""


def read_records(paths: Sequence[Path], without: Iterable[str] = ()) -> Iterator[Fields]:
    """Yield the rows of files, or of folders that `datasets` saved, in order; csv, tsv and xlsx have texts only.

    Columns of `without` may be left out. Raises DataError: an unknown form, or a broken file, with the position.
    """
    left_out = frozenset(without)
    readers: Mapping[str, Callable[[Path], Iterable[Fields]]] = {
        "xlsx": read_cells,
        "separated": separated,
        "parquet": lambda path: _parquet_rows(
            path, lambda _, names: [name for name in names if name not in left_out]
        ),
        "json": _json,
        "saved": lambda path: _saved(path, left_out),
    }
    for path in paths:
        if not path.exists():
            raise DataError(f"Expected {path} to be a file or a folder, found no such file.")
        yield from readers["saved" if path.is_dir() else form_of(path)](path)


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
        yield from (each for _, row in json_lines(path) for each in _questions(row))
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
        return [each for row in content for each in _questions(row)]
    if not isinstance(content, dict):
        return None
    if content and all(isinstance(row, dict) for row in content.values()):
        return [each for key, row in content.items() for each in _questions({KEY: key, **row})]
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


def _questions(row: Fields) -> list[Fields]:
    """A row, or one for each question in its lists (SQuAD's paragraphs, DROP's pairs), with the row's other fields."""
    asked = row.get("question")
    if isinstance(asked, dict) and "stem" in asked:  # ARC, CommonsenseQA
        return [{**row, **asked, "question": asked["stem"]}]
    for name, value in row.items() if "question" not in row else ():
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            others = {key: row[key] for key in row if key != name}
            inner = [each for entry in value for each in _questions({**others, **entry})]
            if "question" in inner[0]:
                return inner
    return [row]


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


def _saved(folder: Path, without: frozenset[str]) -> Iterator[Fields]:
    """The rows of a folder of `Dataset.save_to_disk`: Arrow streams, in the order of their names."""
    import pyarrow
    import pyarrow.ipc

    for path in saved_files(folder):
        try:
            with pyarrow.memory_map(str(path)) as source, pyarrow.ipc.open_stream(source) as stream:
                for batch in stream:
                    wanted = batch.select(
                        [name for name in batch.schema.names if name not in without]
                    )
                    for start in range(0, len(wanted), _BATCH):
                        yield from wanted.slice(start, _BATCH).to_pylist()
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(
                f"Expected {path} to be an Arrow file of `datasets`, found {error}. Save it again."
            ) from error


def saved_files(folder: Path) -> list[Path]:
    """Return the Arrow files of a folder of `Dataset.save_to_disk`, in order. Raises DataError: another folder."""
    state = folder / "state.json"
    if not state.is_file():
        found = "no state.json in it" if folder.is_dir() else "No such file or folder"
        raise DataError(
            f"Expected {folder} to be {FORMS}; found {found}. Name a file, or the folder of one split."
        )
    return [folder / entry["filename"] for entry in json_value(state)["_data_files"]]
