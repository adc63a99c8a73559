"""Every table and figure of the three papers: what it shows, which tasks to run, and what makes it again.

`published/items.csv` is the list; `spiqa-tasks paper` prints it, tests hold its tasks and makers to be real.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.published import read_table


@dataclass(frozen=True)
class Item:
    """A table, figure or section of a paper.

    Attributes:
        name: as in the paper, such as `Table B.1`.
        maker: function of `commands.paper_tables` that makes it again, or ''.
        tasks: arguments of lmms-eval's --tasks for its runs; benchmarks for counts of the data.
        note: what is missing of it, or why nothing makes it.
        options: defaults of the maker's options.
    """

    paper: str
    name: str
    shows: str
    maker: str = ""
    tasks: tuple[str, ...] = ()
    note: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name on the command line and in `spiqa_tasks.published`: `tableB1`."""
        kind, _, number = self.name.partition(" ")
        return f"{kind.lower()}{number if kind == 'Section' else number.replace('.', '')}"

    @property
    def needs(self) -> list[str]:
        """`data`, or `runs` and perhaps `judge`; [] if nothing makes it."""
        if self.maker in ("", "counts"):
            return ["data"] if self.maker else []
        is_judged = self.maker == "rank" or (self.paper == "spiqa" and self.name not in _BLEU)
        return ["runs", *(["judge"] if is_judged else [])]


_BLEU = ("Table E.1", "Table E.2")
"""SPIQA's tables of scores that need no judge."""
PAPERS = ("spiqa", "mmstar", "scifibench")


@cache
def items() -> tuple[Item, ...]:
    """Return every item of `published/items.csv`, in the order of the papers."""
    found: list[Item] = []
    for row in read_table("items.csv"):
        fields: dict[str, Any] = {**row, "tasks": tuple(row["tasks"].split())}
        found.append(Item(**fields | {"options": dict(option.split("=") for option in row["options"].split())}))
    return tuple(found)


def item_named(paper: str, name: str) -> Item:
    """Return a paper's table, figure or section by its name in any spelling: `tableb1`, `Table B.1`.

    Raises InputError: the paper has none of that name.
    """
    named = {_plain(item.name): item for item in items() if item.paper == paper}
    if _plain(name) not in named:
        known = ", ".join(item.key for item in named.values())
        raise InputError(f"Expected a table or figure of {paper} ({known}), found {name}. Correct it.")
    return named[_plain(name)]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()
