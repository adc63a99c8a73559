"""The printer of all commands: tables for people (text, Markdown, LaTeX), csv and json for programs.

A command makes records in natural units and names the columns that people see, and how they are shown; csv and json
have every field of the records. The label columns stand in each part of a table that is wider than the terminal.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import json
import math
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from tabulate import tabulate

from spiqa_tasks.printable import printable
from spiqa_tasks.scoring.values import without_nan

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

STYLES = ("text", "md", "latex")
"""Forms for people."""
FORMS = (*STYLES, "csv", "json")
_MARKUP = re.compile(r"[\\`*|<>\[\]#]|(?<![^\W_])_|_(?![^\W_])")  # `_` within a word is no markup
Records = Sequence[Mapping[str, Any]]
_GAP = 2  # blanks between columns of tabulate's format `simple`
_PAGE = 160
"""Characters of a table that fits a page 1,280 pixels wide, or A4 upright; the label columns stand in each part."""
_NARROWEST = 20
"""Characters to which text is wrapped before the table is split: `-12.5 [-14.2, -10.1]` fits."""
_NUMBER = re.compile(
    r"[-+<]?\s?\d[\d\s.,%\[\]±+-]*(\(\d+ of \d+\))?|-?( \(\d+ of \d+\))?|\d+ of \d+"
)
"""Cells of columns that are aligned at the right: numbers and intervals, a dash, nothing."""
_INTERVAL = re.compile(r", (?=[-\d.]+\])")
_BOUND = ",\xa0"
"""In place of the comma of an interval while cells are wrapped, which breaks at blanks: its ends stay on one line."""


def shown(value: Any) -> str:
    """Return a value as people read it: '' for None, a dash for NaN, yes or no, lists with commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isnan(value):
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True)
class Column:
    """A column that people see.

    Attributes:
        name: field of the records, or `difference.low` or ("difference", "low") within one; without it a cell is empty.
        head: heading (default: the last part of the name).
        show: the text of a cell, from the value of the field and those of `more`.
        more: further fields that `show` takes, such as the ends of an interval.
    """

    name: str | tuple[str, ...]
    head: str = ""
    show: Callable[..., str] = shown
    more: Sequence[str] = ()

    def cell(self, record: Mapping[str, Any]) -> str:
        """Return the text of a record's cell, without what would steer a terminal."""
        try:
            values = [_field(record, name) for name in (self.name, *self.more)]
        except KeyError:
            return ""
        return printable(self.show(*values))


Columns = Sequence[Column | str]
"""Columns; a bare name is `Column(name)`."""


class Grid(NamedTuple):
    """The texts of a table: headings, rows, how many columns from the left are labels, each column's alignment."""

    heads: list[str]
    rows: list[list[str]]
    labels: int
    aligned: list[str]


@dataclass(frozen=True)
class Table:
    """Rows to print.

    Attributes:
        records: the rows, in natural units.
        labels: columns that say what a row is about; they stand in every part of a table that is split.
        values: the other columns. A column that is empty in every row is not shown.
        published: further rows, whose numbers are printed in a paper; people see them.
        folded: whether a page shows the table only on demand.
        data: what csv and json print (default: the records); () if people alone see the table.
    """

    records: Records
    labels: Columns
    values: Columns
    title: str = ""
    notes: Sequence[str] = ()
    published: Records = ()
    folded: bool = False
    data: Records | None = None

    @cached_property
    def grid(self) -> Grid:
        """The texts that people see."""
        columns = [
            each if isinstance(each, Column) else Column(each)
            for each in (*self.labels, *self.values)
        ]
        cells = [
            [column.cell(record) for record in (*self.records, *self.published)]
            for column in columns
        ]
        kept = [place for place, column in enumerate(cells) if any(column) or not column]
        rows = [list(row) for row in zip(*(cells[place] for place in kept), strict=True)]
        labels = sum(place < len(self.labels) for place in kept)
        numbers = (
            place >= len(self.labels) and all(map(_NUMBER.fullmatch, cells[place]))
            for place in kept
        )
        aligned = ["right" if is_number else "left" for is_number in numbers]
        heads = [columns[place].head or _path(columns[place].name)[-1] for place in kept]
        return Grid(heads, rows, labels, aligned)

    @property
    def parts(self) -> list[Grid]:
        """The grid in parts that a page shows one below the other, if it is too wide for one."""
        grid = self.grid
        broken = [re.sub("[-_/]", " ", head) for head in grid.heads]  # a page breaks headings there
        cut = (
            [columns for columns, _ in _parts(grid._replace(heads=broken), _PAGE)] if broken else []
        )
        rows = [
            [[row[at] for at in columns] for row in (grid.heads, grid.aligned, *grid.rows)]
            for columns in cut
        ]
        return [Grid(heads, below, grid.labels, aligned) for heads, aligned, *below in rows]


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`, and `--json` as its short form."""
    about = (
        "of what is printed: tables have values x 100; csv and json natural units (default: text)"
    )
    parser.add_argument("--format", choices=FORMS, default="text", help=about)
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )


def render(form: str, *tables: Table, whole: Any = None) -> str:
    """Return tables in one of `FORMS`; json is `whole` (default: the list of all records)."""
    records = [
        record
        for table in tables
        for record in (table.records if table.data is None else table.data)
    ]
    if form == "json":
        return as_json(records if whole is None else whole)
    if form == "csv":
        return as_csv(records)
    return "\n\n".join(map(_PEOPLE[form], tables))


def as_records(items: Iterable[DataclassInstance]) -> list[dict[str, Any]]:
    """Return dataclasses as records of all their fields."""
    return [dataclasses.asdict(item) for item in items]


def as_json(value: Any) -> str:
    """Return JSON on several lines; None for NaN, which JSON lacks."""
    return json.dumps(without_nan(value), indent=1, ensure_ascii=False)


def as_jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as JSON, one a line."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def as_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as CSV: a dict is columns (`name.key`), a list is joined by `;`, NaN is empty."""
    flat = [_flat(record) for record in records]
    buffer = io.StringIO()
    writer = csv.DictWriter(
        buffer, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(flat)
    return buffer.getvalue().removesuffix("\n")


def width() -> int:
    """Return the columns of the terminal, or 100 if the output goes elsewhere."""
    return max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns)


def markdown(text: str) -> str:
    """Return text in which Markdown finds no markup: names of models and tasks are the user's."""
    return _MARKUP.sub(r"\\\g<0>", text.replace("\n", " "))


def _as_text(table: Table) -> str:
    grid, room = table.grid, width()
    grid = grid._replace(rows=[[_INTERVAL.sub(_BOUND, cell) for cell in row] for row in grid.rows])
    parts = [_part(grid, *columns).replace(_BOUND, ", ") for columns in _parts(grid, room)]
    title = f"{table.title}\n" if table.title else ""
    return title + "\n\n".join([*parts, *(textwrap.fill(note, room) for note in table.notes)])


def _as_markdown(table: Table) -> str:
    grid = table.grid
    rows = [
        [
            cell if side == "right" else markdown(cell)
            for cell, side in zip(row, grid.aligned, strict=True)
        ]
        for row in grid.rows
    ]
    escaped = grid._replace(heads=[*map(markdown, grid.heads)], rows=rows)
    title = [f"### {markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, _drawn(escaped, "github"), *map(markdown, table.notes)])


def _as_latex(table: Table) -> str:
    title, *notes = (f"% {text}" for text in (table.title, *table.notes))
    return "\n".join([*[title] * bool(table.title), _drawn(table.grid, "latex_booktabs"), *notes])


_PEOPLE = {"text": _as_text, "md": _as_markdown, "latex": _as_latex}


def _drawn(grid: Grid, form: str) -> str:
    return tabulate(
        grid.rows, grid.heads, tablefmt=form, colalign=grid.aligned or None, disable_numparse=True
    )


def _part(grid: Grid, columns: Sequence[int], limits: Sequence[int]) -> str:
    """Return some columns, cells wrapped to the limits; headings are a row, as tabulate would make them wider."""
    rows = [
        [_wrapped(row[place], limit) for place, limit in zip(columns, limits, strict=True)]
        for row in (grid.heads, *grid.rows)
    ]
    rows.insert(1, ["-" * limit for limit in limits])
    aligned = [grid.aligned[place] for place in columns]
    return tabulate(rows, tablefmt="plain", colalign=aligned, disable_numparse=True)


def _wrapped(cell: str, limit: int) -> str:
    """Return a cell in lines of at most so many characters (tabulate fails to wrap beside numbers such as 94,000)."""
    return "\n".join(
        textwrap.fill(line, limit, break_on_hyphens=False) for line in cell.split("\n")
    )


def _parts(grid: Grid, room: int) -> list[tuple[list[int], list[int]]]:
    """Return (columns, widths) of each part of a table: one part if wrapping at blanks makes it fit.

    Otherwise each part has all label columns, cut within words if they take more than their half of the room.
    """
    columns = list(zip(grid.heads, *grid.rows, strict=True))
    sizes, words = (
        [max(len(part) for cell in column for part in re.split(by, cell)) for column in columns]
        for by in ("\n", "[ \n]")
    )
    for limit in range(max(*sizes, _NARROWEST), _NARROWEST - 1, -1):
        limits = [min(size, max(limit, word)) for size, word in zip(sizes, words, strict=True)]
        if _total(limits) <= room:
            return [(list(range(len(limits))), limits)]
    labels, values = limits[: grid.labels], limits[grid.labels :]
    left = room - min(max(values, default=0), room // 2) - _GAP
    if _total(labels) > left:
        labels = [min(size, max(1, left // len(labels) - _GAP)) for size in labels]
    parts = [(list(range(len(labels))), labels)]
    for place, size in enumerate(values, len(labels)):
        limit = min(size, room - _total(labels) - _GAP)
        if len(parts[-1][0]) > len(labels) and _total([*parts[-1][1], limit]) > room:
            parts.append((list(range(len(labels))), labels))
        parts[-1] = ([*parts[-1][0], place], [*parts[-1][1], limit])
    return parts


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + _GAP * (len(sizes) - 1)


def _path(name: str | tuple[str, ...]) -> Sequence[str]:
    return name.split(".") if isinstance(name, str) else name


def _field(record: Any, name: str | tuple[str, ...]) -> Any:
    for key in _path(name):
        record = None if record is None else record[key]
    return record


def _flat(record: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in without_nan(dict(record)).items():
        name = f"{within}{key}"
        if isinstance(value, Mapping):
            fields |= _flat(value, f"{name}.")
        else:
            fields[name] = ";".join(map(str, value)) if isinstance(value, list | tuple) else value
    return fields
