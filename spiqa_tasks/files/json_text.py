"""Read JSON without losing anything in it: whole files, lines, and long objects one entry at a time."""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
