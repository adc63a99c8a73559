"""A response read line by line, from its end, as far as a rule needs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from spiqa_tasks.scoring.mcq_claims import Claim, alone, claims_in, lead, settle
from spiqa_tasks.scoring.mcq_text import lower
from spiqa_tasks.scoring.mcq_tokens import Line, Options, has_candidates, masked, read_line

_HEADING = re.compile(r"(?::|^(?:the |my )?(?:final |correct )?answer) ?\n\s*(?=[^\w\n]{0,3}[a-z](?![a-z0-9]))", re.I | re.M)
_ITEM = re.compile(r"[^\w\n\ue000-\uf8ff]{0,8}(?:(?:option|choice|figure|caption|image) )?([a-z])[.):\]]")


class Reading:
    """A cleaned response in the light of a question's options."""

    def __init__(self, text: str, options: Options) -> None:
        text = _HEADING.sub(_with_next_line, text)
        self.options = options
        self.text = text
        self._lines = text.split("\n")
        self._low = masked(lower(text), options).split("\n")
        self._read: dict[int, Line | None] = {}
        self._claims: dict[int, list[Claim]] = {}

    def line(self, index: int) -> Line | None:
        """Return a line as kinds; None where it mentions no option."""
        if index not in self._read:
            low = self._low[index]
            line = read_line(self._lines[index], low, self.options) if has_candidates(low) else None
            self._read[index] = line if line is not None and any(line.letters) else None
        return self._read[index]

    def claims(self, index: int) -> list[Claim]:
        """Return the commitments in a line."""
        if index not in self._claims:
            line = self.line(index)
            self._claims[index] = [] if line is None else claims_in(line)
        return self._claims[index]

    def backwards(self) -> Iterator[tuple[int, Line]]:
        """Yield the lines that mention an option, the last one first, with their indices."""
        for index in reversed(range(len(self._lines))):
            line = self.line(index)
            if line is not None:
                yield index, line

    def alone(self, index: int, line: Line) -> Claim | None:
        """Return the option that is all of a line; None in a listing of options."""
        claim = alone(line)
        return None if claim is None or self.in_listing(index) else claim

    def lead(self, index: int, line: Line) -> Claim | None:
        """Return the option that a line begins with; None in a listing of options."""
        claim = lead(line)
        return None if claim is None or self.in_listing(index) else claim

    def content(self, field: str, of_text: bool) -> frozenset[str]:
        """Return the options that the content of a field made for the answer names."""
        line = read_line(field, masked(lower(field), self.options), self.options)
        claim = alone(line) or lead(line)
        claims = claims_in(line) if claim is None else [claim]
        return settle([claim for claim in claims if claim.of_text <= of_text], line)

    def mentioned(self) -> frozenset[str]:
        """Return the letters of all options that are mentioned."""
        return frozenset(letter for _, line in self.backwards() for letters in line.letters for letter in letters)

    def in_listing(self, index: int) -> bool:
        """Return whether the items before and after a line's are its neighbours in the alphabet."""
        item = self._items.get(index)
        if item is None:
            bare = self._low[index].strip()  # the cut-off item of a listing
            return len(bare) == 1 and self._items.get(index - 1) == ord(bare) - 1
        return self._items_before.get(index) == item - 1 or self._items_after.get(index) == item + 1

    @cached_property
    def _items(self) -> dict[int, int]:
        """By index of line the letter of the item that it is: `A.`, `(A)`, `Option A:`."""
        found = ((index, _ITEM.match(low)) for index, low in enumerate(self._low))
        return {index: ord(item[1]) for index, item in found if item}

    @cached_property
    def _items_before(self) -> dict[int, int]:
        keys = list(self._items)
        return {here: self._items[before] for before, here in zip(keys, keys[1:], strict=False)}

    @cached_property
    def _items_after(self) -> dict[int, int]:
        keys = list(self._items)
        return {here: self._items[after] for here, after in zip(keys, keys[1:], strict=False)}


def _with_next_line(heading: re.Match[str]) -> str:
    """The heading in one line with the option after it; a listing of options stays apart."""
    following = heading.string[heading.end() : heading.end() + 500].split("\n")
    items = [ord(item[1]) for line in following if (item := _ITEM.match(lower(line)))]
    return heading[0] if items[1:] and items[1] == items[0] + 1 else heading[0].strip().rstrip(":") + ": "
