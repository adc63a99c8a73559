"""JSON as a file of answers has it, read so that nothing in it is lost."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BLOCK = 1 << 20
_BLANKS = re.compile(r"[ \t\n\r]*")


class RepeatedKeyError(ValueError):
    """An object that has a key twice, of which all but the last value would be lost."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: no JSON, or `RepeatedKeyError`.
        RecursionError: too deeply nested.
    """
    return json.loads(text, object_pairs_hook=_object)


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
        text = _Text(file)
        if text.sign() != "{":
            raise TypeError(f"a text that begins with {text.sign()!r}")
        text.skip()
        while text.sign() != "}":
            key = text.value()
            if not isinstance(key, str) or text.sign() != ":":
                raise ValueError(f"no key and colon after {text.place:,} characters")
            text.skip()
            yield key, text.value()
            if text.sign() not in (",", "}"):
                raise ValueError(f"neither comma nor brace after the value of {key!r}")
            if text.sign() == ",":
                text.skip()
        text.skip()
        if text.sign():
            raise ValueError("more after its last brace")


class _Text:
    """The text of a file, of which only what is being read is in memory."""

    def __init__(self, file: Any) -> None:
        self._file, self._decoder = file, json.JSONDecoder()
        self._text, self._at, self._dropped = "", 0, 0

    @property
    def place(self) -> int:
        """How many characters of the file are read."""
        return self._dropped + self._at

    def sign(self) -> str:
        """Return the next sign that is no blank; empty at the end of the file."""
        while True:
            found = _BLANKS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self) -> None:
        """Go on behind the next sign."""
        self._at += 1

    def value(self) -> Any:
        """Return the next value; raises as `entries` does."""
        self.sign()
        while True:
            try:
                found, end = self._decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
            else:
                if end < len(self._text) or not self._more():  # a number may go on in what is not read yet
                    self._at = end
                    return found

    def _more(self) -> bool:
        """Read on, by ever larger blocks within one value, so that long ones take linear time."""
        block = self._file.read(max(_BLOCK, len(self._text) - self._at))
        self._text, self._dropped, self._at = self._text[self._at :] + block, self._dropped + self._at, 0
        return bool(block)
