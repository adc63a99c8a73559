"""Read JSON without losing anything in it: files, lines, long objects by entry; check types."""

import hashlib
import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError


class RepeatedKeyError(ValueError):
    """An object that has a key twice, of which all but the last value would be lost."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text; NaN and infinities, which JSON lacks, are None.

    Raises ValueError (or its `RepeatedKeyError`), RecursionError.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    return _DECODER.decode(text)


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
        raise DataError(
            f"Expected {path} to be UTF-8 text, found {error}. Save it as UTF-8."
        ) from error


def first_object(path: Path) -> dict[str, Any] | None:
    """Return the object in the first line that is not blank; None if that is none."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            value = loads(next((line for line in file if line.strip()), ""))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_value(path: Path) -> Any:
    """Return the value of a JSON file. Raises DataError: no JSON, or a key twice in an object."""
    try:
        return loads(path.read_bytes())
    except (ValueError, OSError, RecursionError) as error:
        raise DataError(
            f"Expected {path} to be JSON, found {error}. Complete or delete it."
        ) from error


def digest_of(value: Any) -> str:
    """Return twelve hexadecimal digits over a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a JSON file's object, one in memory at a time.

    Raises ValueError: no JSON.
    """
    import ijson  # here, as `list` reads no data

    with path.open("rb") as file:
        try:
            yield from ijson.kvitems(file, "", use_float=True)
        except ijson.JSONError as error:
            raise ValueError(" ".join(str(error).split())) from error


def _line(path: Path, number: int, line: str) -> dict[str, Any]:
    """Return the object of a line. Raises DataError: another value, or a key twice."""
    found = repr(line.strip()[:60])
    try:
        value = loads(line)
        if isinstance(value, dict):
            return value
    except RepeatedKeyError as error:
        found = str(error)
    except (ValueError, RecursionError):
        pass
    raise DataError(
        f"Expected line {number} of {path} to be a JSON object, found {found}. Complete or delete "
        "the line."
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of its pairs. Raises RepeatedKeyError."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise RepeatedKeyError(f"the key {key!r} more than once in one object")
        values[key] = value
    return values


def _no_number(_: str) -> None:
    """Pandas and others write these for a missing value."""


# made once; `json.loads` would make one for every text
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def without_nan(value: Any) -> Any:
    """Return a value, or lists, tuples and dicts of them, with None for what JSON lacks: NaN and
    infinities.
    """
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(each) for each in value]
    is_missing = isinstance(value, float) and not math.isfinite(value)
    return None if is_missing else value


def conforms(value: Any, form: Any) -> bool:
    """Return whether a JSON value is of a type; numbers are finite, a truth value is none."""
    try:
        _adapter(form).validate_python(value)
    except ValueError:
        return False
    return True


@cache  # a type is taken apart once, and millions of values are checked against it
def _adapter(form: Any) -> Any:
    """Return pydantic's check of a type, which converts nothing and refuses NaN."""
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(form, config=ConfigDict(strict=True, allow_inf_nan=False))


def first_of(answers: Any) -> Any:
    """Return the first of lists within lists, as a host logs answers; None if empty."""
    while isinstance(answers, list):
        answers = answers[0] if answers else None
    return answers
