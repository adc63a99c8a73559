"""A response read line by line, from its end, as far as a rule needs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from spiqa_tasks.scoring.mcq.claims import Line, opening, settle
from spiqa_tasks.scoring.mcq.options import Options, masked
from spiqa_tasks.scoring.mcq.text import lower, plain
from spiqa_tasks.scoring.mcq.tokens import has_candidates, read_line

_ITEM = re.compile(r"[^\w\n]{0,8}(?:(?:option|choice|figure|caption|image) )?([a-z])\**[.):\]]", re.IGNORECASE)
_SINGLE = re.compile(r"[^\w\n]{0,8}[a-z](?![a-z0-9])", re.IGNORECASE)
_HEADING = re.compile(r"[^\n]{0,400}:\W{0,3}|\W{0,8}(?:the |my )?(?:final |correct )?answer\W{0,3}", re.IGNORECASE)


class Reading:
    """A response in the light of a question's options; a line is cleaned and read when it is asked for."""

    def __init__(self, text: str, options: Options) -> None:
        self.options = options
        self.text = text
        self._lines = [line for line in text.split("\n") if line and not line.isspace()]
        self._by_index: dict[int, Line | None] = {}
        self._by_text: dict[str, Line | None] = {}

    def _read(self, text: str) -> Line | None:
        """A line as kinds, None where it mentions no option; read once, however often it stands."""
        if text not in self._by_text:
            cleaned = plain(text)
            low = masked(lower(cleaned), self.options)
            line = read_line(cleaned, low, self.options) if has_candidates(cleaned, low) else None
            self._by_text[text] = line if line is not None and any(line.letters) else None
        return self._by_text[text]

    def _heading_of(self, index: int) -> str:
        """The line before one that begins with an option, where it announces it: `Answer:`."""
        if not index or not _SINGLE.match(self._lines[index]) or self.in_listing(index):
            return ""
        before = self._lines[index - 1]
        return f"{before.rstrip(' *_:#')}: " if _HEADING.fullmatch(before) else ""

    def backwards(self) -> Iterator[tuple[int, Line]]:
        """Yield the lines that mention an option, the last one first, with their indices."""
        for index in reversed(range(len(self._lines))):
            if index not in self._by_index:
                self._by_index[index] = self._read(self._heading_of(index) + self._lines[index])
            line = self._by_index[index]
            if line is not None:
                yield index, line

    def content(self, field: str, of_text: bool) -> frozenset[str]:
        """Return the options that the content of a field made for the answer names."""
        line = self._read(field)
        if line is None:
            return frozenset()
        claim = opening(line, "alone") or opening(line, "lead")
        claims = line.claims if claim is None else [claim]
        return settle([claim for claim in claims if claim.of_text <= of_text], line)

    def mentioned(self) -> frozenset[str]:
        """Return the letters of all options that are mentioned."""
        letters = "".join("".join(line.letters) for _, line in self.backwards())
        return frozenset(letters) & self.options.texts.keys()

    def in_listing(self, index: int) -> bool:
        """Return whether a line is an item whose neighbours are the letters before or after it in the alphabet."""
        if index in self._items:
            return index in self._listed
        bare = self._lines[index].strip().lower()  # the cut-off item of a listing
        return len(bare) == 1 and self._items.get(index - 1) == ord(bare) - 1

    @cached_property
    def _items(self) -> dict[int, int]:
        """By index of line the letter of the item that it is: `A.`, `(A)`, `Option A:`."""
        found = ((index, _ITEM.match(line)) for index, line in enumerate(self._lines))
        return {index: ord(item[1].lower()) for index, item in found if item}

    @cached_property
    def _listed(self) -> set[int]:
        pairs = pairwise(self._items.items())
        return {index for (here, item), (there, following) in pairs if following == item + 1 for index in (here, there)}
