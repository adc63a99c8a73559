"""The picture files in a folder of data, and how its columns name them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_LOOKED_AT = 50
"""How many of a column's values are tried."""
_DEEPEST = 4
"""How many folders deep pictures are looked for."""
_PADDED = ("", ":012d", ":08d", ":06d", ":05d", ":04d")
"""Formats of numbers in the names of pictures."""


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
