"""The picture files in a folder of data, and how its columns name them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_LOOKED_AT = 50
"""How many of a column's values are tried."""
_DEEPEST = 4
"""How many folders deep pictures are looked for."""


class PictureFiles:
    """The pictures below a folder; it is searched when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folder_of(self, paths: Sequence[str]) -> str:
        """Return the folder, from this one, in which the first of some paths is a picture; empty for this one itself.

        None of them is tried where the first is there, or nowhere.
        """
        first = next(iter(paths), "")
        name = first.replace("\\", "/")
        for place in self._places.get(os.path.basename(name), ()):
            if not (self._folder / first).is_file() and f"{place}/{os.path.basename(name)}".endswith(f"/{name}"):
                return f"{place}/{os.path.basename(name)}".removesuffix(f"/{name}")
        return ""

    def path_of(self, column: str, values: Sequence[Any]) -> str:
        """Return the path of pictures that are called as a column's values, the column in braces; empty for none."""
        tried = [str(value) for value in values[:_LOOKED_AT] if value not in (None, "")]
        for suffix in SUFFIXES:
            found = [self._places.get(f"{value}{suffix}") for value in tried]
            places = {places[0] for places in found if places}
            if len(places) == 1 and sum(map(bool, found)) > len(tried) / 2:
                place = places.pop()
                return f"{place}/{{{column}}}{suffix}".removeprefix("./")
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
