"""Read JSON without losing anything in it (files, lines, long objects by entry), and check values against types."""

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

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


def conforms(value: Any, form: Any) -> bool:
    """Return whether a JSON value is of a type; numbers must be finite, and a truth value is none."""
    try:
        _adapter(form).validate_python(value)
    except ValueError:
        return False
    return True


@cache  # a type is taken apart once, and millions of values are checked against it
def _adapter(form: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(form, config=ConfigDict(strict=True, allow_inf_nan=False))
