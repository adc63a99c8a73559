"""The pictures of a row: paths as they are, pictures within the table written to the cache. None is opened here.

A table with pictures may name an earlier row's id in the place of a picture, as VLMEvalKit's tables do.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.own.cells import cell, is_empty
from spiqa_tasks.benchmarks.own.prompts import fields_in_path, filled_path
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.pictures import write_pictures
from spiqa_tasks.files.records import Fields

_BASE64 = re.compile(r"(?:data:image/[\w.+-]+;base64,)?((?:iVBOR|/9j/|R0lGOD|UklGR|Qk)[A-Za-z0-9+/\s]{60,}={0,2}\s*)")
"""Encoded PNG, JPEG, GIF, WebP or BMP by its first characters."""


SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_LOOKED_AT = 50
"""How many of a column's values are tried."""
_DEEPEST = 4
"""How many folders deep pictures are looked for."""
_PADDED = ("", ":012d", ":08d", ":06d", ":05d", ":04d")
"""Formats of numbers in the names of pictures."""


class Pictures:
    """The pictures of a table's rows.

    Args:
        columns: with pictures, or paths with columns in braces.
        folder: where relative paths begin.
        cache: name of the cache's folder for pictures within the table.
    """

    def __init__(self, columns: Sequence[str], folder: Path, cache: str) -> None:
        self._columns = {column: fields_in_path(column) for column in columns}
        self._there: set[str] = set()
        self._folder = os.path.normpath(folder)
        self._cache = cache
        self._by_id: dict[str, list[str]] = {}

    def of(self, record: Fields, row_id: str, place: int) -> list[str]:
        """Return the paths of a row's pictures, in order.

        Raises:
            ValueError: a cell that is no picture, or a path without a file.
        """
        values = list(self._values(record))
        written = [(f"{place}-{number}", value) for number, value in enumerate(values) if isinstance(value, bytes)]
        if not written:
            return [path for value in values for path in self._by_id.get(str(value)) or [self._path(str(value))]]
        found = write_pictures(self._cache, written)
        self._by_id[row_id] = found
        return found

    def _values(self, record: Fields) -> Iterator[bytes | str]:
        """The pictures, as encoded bytes or as paths."""
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


class PictureFiles:
    """The pictures below a folder; it is searched when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def are_there(self, paths: Sequence[str]) -> bool:
        """Return whether most of some paths are those of files; any text may be asked about."""
        tried = paths[:_LOOKED_AT]
        return 2 * sum(os.path.isfile(os.path.join(self._folder, path)) for path in tried) > len(tried)

    def folder_of(self, paths: Sequence[str]) -> str:
        """Return the folder, from this one, in which most of some paths are pictures; empty for none."""
        tried = [path.replace("\\", "/").removeprefix("./") for path in paths[:_LOOKED_AT]]
        found: Counter[str] = Counter()
        for path in tried:
            for place in self._places.get(os.path.basename(path), ()):
                if f"/{place}/{os.path.basename(path)}".endswith(f"/{path}"):
                    found[f"{place}/{os.path.basename(path)}".removesuffix(path).rstrip("/")] += 1
        best, count = next(iter(found.most_common(1)), ("", 0))
        return best if 2 * count > len(tried) else ""

    def path_of(self, column: str, values: Sequence[Any]) -> str:
        """Return the path of pictures that are called as a column's values, the column in braces; empty for none."""
        tried = [value for value in values[:_LOOKED_AT] if value not in (None, "")]
        for form in _PADDED if all(str(value).isdecimal() for value in tried) else _PADDED[:1]:
            names = [format(int(value), form[1:]) if form else str(value) for value in tried]
            for suffix in SUFFIXES:
                place = self.folder_of([name + suffix for name in names])
                if place:
                    return f"{place}/{{{column}{form}}}{suffix}".removeprefix("./")
        return ""

    def path_below(self, column: str, values: Sequence[Any], others: Mapping[str, Sequence[Any]]) -> str:
        """Return the path of pictures that lie in folders called as another column's values; empty for none.

        Args:
            column: with the pictures' names.
            values: the column's.
            others: columns that may name the folders.
        """
        for other, names in others.items():
            pairs = zip(names, values, strict=True)
            paths = [f"{name}/{value}" for name, value in pairs if value not in (None, "") and name not in (None, "")]
            place = self.folder_of(paths)
            if place or (paths and self.are_there(paths)):
                return f"{place}/{{{other}}}/{{{column}}}".removeprefix("./").removeprefix("/")
        return ""

    @cached_property
    def _places(self) -> dict[str, list[str]]:
        """Name of a picture -> the folders, from this one, that have one of that name."""
        found: dict[str, list[str]] = {}
        for place, folders, names in os.walk(self._folder):
            below = Path(place).relative_to(self._folder)
            if len(below.parts) >= _DEEPEST:
                folders.clear()
            for name in names:
                if name.lower().endswith(SUFFIXES):
                    found.setdefault(name, []).append(below.as_posix())
        return found


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
        try:
            yield base64.b64decode(found[1])
        except binascii.Error as error:
            raise ValueError(f"{column} has base64 that is cut off or broken") from error
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value).strip()
    else:
        raise ValueError(f"{column} has a {type(value).__name__}, not a picture")
