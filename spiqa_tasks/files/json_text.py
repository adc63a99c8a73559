"""Read JSON without losing anything in it (files, lines, long objects by entry), and check values against types."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from spiqa_tasks.errors import DataError

_MARK = b"\xef\xbb\xbf"
"""UTF-8's byte order mark, which some programs write."""


class RepeatedKeyError(ValueError):
    """An object that has a key twice, of which all but the last value would be lost."""


class _NoObjectError(DataError):
    """A line that is not a JSON object."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: no JSON, or `RepeatedKeyError`.
        RecursionError: too deeply nested.
    """
    return json.loads(text, object_pairs_hook=_object)


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line numbers, from 1, and objects of a file of JSON lines; blank lines are skipped.

    Only a line feed ends a line: JSON texts may contain other separators.

    Raises DataError: not UTF-8, a line that is no object, or an object that has a key twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _line(path, number, line)
    except UnicodeDecodeError as error:
        raise DataError(f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8.") from error


def first_object(path: Path) -> dict[str, Any] | None:
    """Return the object in the first line that is not blank, None for a line that is no object; see `json_lines`."""
    try:
        return next((entry for _, entry in json_lines(path)), None)
    except _NoObjectError:
        return None


def json_value(path: Path) -> Any:
    """Return the value of a JSON file. Raises DataError: no JSON, or an object that has a key twice."""
    try:
        return loads(path.read_bytes().removeprefix(_MARK))
    except (ValueError, OSError, RecursionError) as error:
        raise DataError(f"Expected {path} to be JSON, found {error}. Complete or delete it.") from error


def as_value(cell: Any) -> Any:
    """Return the list or object that a cell's text writes out, as JSON or Python print it; any other value as it is."""
    if not isinstance(cell, str) or cell.strip()[:1] not in ("[", "{"):
        return cell
    for read in (json.loads, ast.literal_eval):
        try:
            return read(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return cell


def digest_of(value: Any) -> str:
    """Return twelve hexadecimal digits over a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of the object that a JSON file contains, holding about one of them in memory.

    Raises:
        ValueError: no JSON object in UTF-8.
        OSError: the file cannot be read.
    """
    import ijson  # imported where it is needed: `list` reads no data

    with path.open("rb") as file:
        start = file.read(64)
        if not start.removeprefix(_MARK).lstrip().startswith(b"{"):
            raise ValueError("no object")
        file.seek(len(_MARK) if start.startswith(_MARK) else 0)  # ijson rejects the mark
        try:
            yield from ijson.kvitems(file, "", use_float=True)
        except ijson.JSONError as error:
            raise ValueError(" ".join(str(error).split())) from error


def _line(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        entry = loads(line)
    except RepeatedKeyError as error:
        raise DataError(
            f"Expected each key once in line {number} of {path}, found {error}. Keep the one that counts."
        ) from error
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise _NoObjectError(
            f"Expected line {number} of {path} to be a JSON object, found {line.strip()[:60]!r}. "
            "Complete or delete the line."
        )
    return entry


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"the key {key!r} more than once in one object")
    return found


def check_types(kind: type, values: Mapping[str, Any]) -> None:
    """Check JSON values against the fields of the same names of a dataclass; other names are not looked at.

    Raises TypeError: a value of another type, with the field's name. Numbers must be finite, lists stand for tuples.
    """
    for name, is_right in _checks(kind).items():
        if name in values and not is_right(values[name]):
            raise TypeError(f"{name}: {values[name]!r:.60}")


def conforms(value: Any, form: Any) -> bool:
    """Return whether a JSON value is of a type: str, bool, int, float, None, or a union, Literal, Mapping or tuple."""
    return _check_of(form)(value)


@cache
def _checks(kind: type) -> dict[str, Callable[[Any], bool]]:
    hints = get_type_hints(kind)
    return {field.name: _check_of(hints[field.name]) for field in dataclasses.fields(kind)}


@cache  # a type is taken apart once, and millions of values are checked against it
def _check_of(form: Any) -> Callable[[Any], bool]:
    kind, arguments = get_origin(form), get_args(form)
    if form is Any:
        return lambda value: True  # noqa: ARG005
    if kind in (Union, UnionType):
        checks = [_check_of(each) for each in arguments]
        return lambda value: any(check(value) for check in checks)
    if kind is Literal:
        return lambda value: isinstance(value, str) and value in arguments
    if kind is not None and issubclass(kind, Mapping):
        of_value = _check_of(arguments[1])
        return lambda value: isinstance(value, Mapping) and all(map(of_value, value.values()))
    if kind is tuple:
        of_item = _check_of(arguments[0])
        return lambda value: isinstance(value, list | tuple) and all(map(of_item, value))
    if form in (int, float):
        wanted = (int, float) if form is float else int
        return lambda value: (
            isinstance(value, wanted) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
        )
    return lambda value: isinstance(value, NoneType if form is None else form)
