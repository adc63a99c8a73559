"""The pictures of a row: paths as they are, pictures within the table written to the cache. None is opened here."""

import base64
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.own.cells import cell, is_empty
from spiqa_tasks.benchmarks.own.prompts import fields_in_path, filled_path
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.pictures import write_pictures
from spiqa_tasks.files.records import Fields

_BASE64 = re.compile(
    r"(?:data:image/[\w.+-]+;base64,)?((?:iVBOR|/9j/|R0lGOD|UklGR|Qk)[A-Za-z0-9+/\s]{60,}={0,2}\s*)"
)
"""Encoded PNG, JPEG, GIF, WebP or BMP, by its first characters."""


class Pictures:
    """The pictures in columns, or at paths with columns in braces, from `folder`; `cache` has those in the table."""

    def __init__(self, columns: Sequence[str], folder: Path, cache: str) -> None:
        self._columns = {column: fields_in_path(column) for column in columns}
        self._there: set[str] = set()
        self._folder = os.path.normpath(folder)
        self._cache = cache

    def of(self, record: Fields, place: int) -> list[str]:
        """Return the paths of a row's pictures, in order. Raises ValueError: no picture in a cell, or no file."""
        values = list(self._values(record))
        written = [
            (f"{place}-{number}", value)
            for number, value in enumerate(values)
            if isinstance(value, bytes)
        ]
        return (
            write_pictures(self._cache, written)
            if written
            else [self._path(str(value)) for value in values]
        )

    def _values(self, record: Fields) -> Iterator[bytes | str]:
        for column, names in self._columns.items():
            values = {name: cell(record, name) for name in names}
            if values and not any(map(is_empty, values.values())):
                yield filled_path(column, values)
            elif not values:
                yield from _flat(cell(record, column), column)

    def _path(self, text: str) -> str:
        path = os.path.join(self._folder, text)
        if path not in self._there:
            if not os.path.isfile(path):
                raise ValueError(f"no picture at {path}")
            self._there.add(path)
        return path


def is_encoded(text: str) -> bool:
    """Return whether a text is a picture in base64."""
    return _BASE64.fullmatch(text) is not None


def _flat(value: Any, column: str) -> Iterator[bytes | str]:
    value = as_value(value)
    if is_empty(value):
        return
    if isinstance(value, list):
        for each in value:
            yield from _flat(each, column)
    elif isinstance(value, Mapping) and value.keys() & {"bytes", "path"}:
        yield from _flat(value.get("bytes") or value.get("path"), column)
    elif isinstance(value, bytes):
        yield value
    elif isinstance(value, str) and (found := _BASE64.fullmatch(value)):
        yield base64.b64decode(found[1])
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value).strip()
    else:
        raise ValueError(f"{column} has a {type(value).__name__}, not a picture")
