"""JSON as a file of answers has it, read so that nothing in it is lost, and a digest of what is read."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BLOCK = 1 << 20
_BLANKS = " \t\n\r"
_START, _COLON, _END = map(re.compile, (r'[ \t\n\r]*(\}|(?="))', r"[ \t\n\r]*:[ \t\n\r]*", r"[ \t\n\r]*(?:,|(?=\}))"))
_decode = json.JSONDecoder().raw_decode


class RepeatedKeyError(ValueError):
    """An object that has a key twice, of which all but the last value would be lost."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: no JSON, or `RepeatedKeyError`.
        RecursionError: too deeply nested.
    """
    return json.loads(text, object_pairs_hook=_object)


def digest_of(value: Any) -> str:
    """Return twelve hexadecimal digits over a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"the key {key!r} more than once in one object")
    return found


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of the object that a JSON file contains, holding about one of them in memory.

    Raises:
        TypeError: it contains another value.
        ValueError: no JSON in UTF-8.
        RecursionError: too deeply nested.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8-sig") as file:
        text, at = file.read(_BLOCK).lstrip(_BLANKS), 1
        if not text.startswith("{"):
            raise TypeError(f"a text that begins with {text[:1]!r}")
        while True:
            try:
                entry, at = _entry(text, at)
            except ValueError:
                block = file.read(max(_BLOCK, len(text) - at))  # ever larger within a value: it takes linear time
                if not block:
                    raise
                text, at = text[at:] + block, 0
                continue
            if entry is None:
                break
            yield entry
        if (text[at:] + file.read()).strip(_BLANKS):
            raise ValueError("more after its last brace")


def _entry(text: str, at: int) -> tuple[tuple[str, Any] | None, int]:
    """The next key and value of an object, None at its end, and the place behind; ValueError where they are cut."""
    start = _START.match(text, at)
    if start is None:
        raise ValueError("neither a key nor a brace")
    if start[1]:
        return None, start.end()
    key, place = _decode(text, start.end())
    colon = _COLON.match(text, place)
    if colon is None:
        raise ValueError(f"no colon after the key {key!r}")
    value, place = _decode(text, colon.end())
    end = _END.match(text, place)
    if end is None:
        raise ValueError(f"neither comma nor brace after the value of {key!r}")
    return (key, value), end.end()
