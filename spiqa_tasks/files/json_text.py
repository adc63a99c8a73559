"""Read JSON without losing anything in it: whole files, lines, and long objects one entry at a time."""

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

_DEEPEST = 900
"""Levels of nesting, a little less than Python's own limit for `json`."""


class RepeatedKeyError(ValueError):
    """An object that has a key twice, of which all but the last value would be lost."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: no JSON, or `RepeatedKeyError`.
        RecursionError: too deeply nested.
    """
    return json.loads(text, object_pairs_hook=_object)


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines with their line numbers, from 1; blank lines are skipped.

    Only a line feed ends a line: JSON may have other separators within a text.

    Raises:
        DataError: not UTF-8, a line that is no object, or an object that has a key twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _line(path, number, line)
    except UnicodeDecodeError as error:
        raise DataError(f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8.") from error


def first_object(path: Path) -> dict[str, Any] | None:
    """Return the object in the first line that is not blank; None if that line is no whole object.

    Raises DataError: no UTF-8 text, or an object that has a key twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            line = next((line for line in file if line.strip()), "")
            entry = loads(line)
    except RepeatedKeyError as error:
        raise DataError(f"Expected each key once in {path}, found {error}. Keep the one that counts.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8.") from error
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def json_value(path: Path) -> Any:
    """Return the value of a JSON file. Raises DataError: no JSON, or an object that has a key twice."""
    try:
        return loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
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

    depth, key, builder = 0, "", None
    with path.open("rb") as file:
        if file.read(3) != b"\xef\xbb\xbf":  # ijson knows no byte order mark
            file.seek(0)
        try:
            # events without the paths that `kvitems` makes of them: these take memory by the square of the depth
            for event, value in ijson.basic_parse(file, use_float=True):
                depth -= event in ("end_map", "end_array")
                if depth == 1 and event == "map_key":
                    key, builder = value, ijson.ObjectBuilder()
                elif builder is not None:
                    builder.event(event, value)
                elif depth == 0 and event not in ("start_map", "end_map"):
                    raise ValueError(f"{event} where an object was expected")
                depth += event in ("start_map", "start_array")
                if depth > _DEEPEST:
                    raise ValueError(f"values nested deeper than {_DEEPEST}")
                if depth == 1 and builder is not None and event != "map_key":
                    yield key, builder.value
                    builder = None
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
        raise DataError(
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

    Raises:
        TypeError: a value of another type, with the field's name. Numbers must be finite, lists stand for tuples.
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
