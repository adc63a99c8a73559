"""The printer of all commands: tables for people (text, Markdown, LaTeX), csv and json for
programs.

A command makes records in natural units and names the columns that people see, and how they are
shown; csv and json have every field of the records. The label columns stand in each part of a
table that is wider than the terminal.
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
"""Characters of a table that fits a page 1,280 pixels wide, or A4 upright; the label columns
stand in each part.
"""
_NARROWEST = 20
"""Characters to which text is wrapped before the table is split: `-12.5 [-14.2, -10.1]` fits."""
_NUMBER = re.compile(
    r"[-+<]?\s?\d[\d\s.,%\[\]±+-]*(\(\d+ of \d+\))?|-?( \(\d+ of \d+\))?|\d+ of \d+"
)
"""Cells of columns that are aligned at the right: numbers and intervals, a dash, nothing."""
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that spreadsheets take for a formula."""
_NUMBERS = re.compile(r"[-+\d.e;]*")
"""Numbers, and lists of them as csv has them."""
_INTERVAL = re.compile(r", (?=[-\d.]+\])")
_BOUND = ",\xa0"
"""In place of the comma of an interval while cells are wrapped, which breaks at blanks: its ends
stay on one line.
"""


def shown(value: Any) -> str:
    """Return a value as people read it: '' for None, a dash for NaN, yes or no, lists with
    commas.
    """
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
        name: field of the records, or `difference.low` or ("difference", "low") within one; without
            it a cell is empty.
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
    """The texts of a table: headings, rows, how many columns from the left are labels, each
    column's alignment.
    """

    heads: list[str]
    rows: list[list[str]]
    labels: int
    aligned: list[str]

    def only(self, columns: Sequence[int]) -> Grid:
        """Return the grid of some columns, the labels among them."""
        rows = [[row[place] for place in columns] for row in self.rows]
        heads = [self.heads[place] for place in columns]
        return Grid(heads, rows, self.labels, [self.aligned[place] for place in columns])


class Part(NamedTuple):
    """Some columns of a grid, printed side by side, and the widths to which their cells are
    wrapped.
    """

    columns: list[int]
    widths: list[int]


@dataclass(frozen=True)
class Table:
    """Rows to print.

    Attributes:
        records: the rows, in natural units.
        labels: columns that say what a row is about; they stand in every part of a table that is
            split.
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
        columns = [_as_column(each) for each in (*self.labels, *self.values)]
        records = [*self.records, *self.published]

        heads: list[str] = []
        cells: list[list[str]] = []
        aligned: list[str] = []
        labels = 0
        for place, column in enumerate(columns):
            texts = [column.cell(record) for record in records]
            if records and not any(texts):
                continue  # empty in every row
            is_label = place < len(self.labels)
            is_number = not is_label and all(map(_NUMBER.fullmatch, texts))
            labels += is_label
            heads.append(column.head or _path(column.name)[-1])
            cells.append(texts)
            aligned.append("right" if is_number else "left")

        rows = [list(row) for row in zip(*cells, strict=True)]
        return Grid(heads, rows, labels, aligned)

    @property
    def parts(self) -> list[Grid]:
        """The grid in parts that a page shows one below the other, if it is too wide for one."""
        grid = self.grid
        if not grid.heads:
            return []

        broken = [re.sub("[-_/]", " ", head) for head in grid.heads]  # a page breaks headings there
        parts = _parts(grid._replace(heads=broken), _PAGE)
        return [grid.only(part.columns) for part in parts]


def _as_column(column: Column | str) -> Column:
    return column if isinstance(column, Column) else Column(column)


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
    """Return records as CSV: a dict is columns (`name.key`), a list is joined by `;`, NaN is empty.

    Texts that a spreadsheet would run as formulas begin with `'`.
    """
    flat = [_flat(record) for record in records]
    columns = dict.fromkeys(name for row in flat for name in row)

    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(columns), lineterminator="\n")
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
    parts = [_part(grid, part).replace(_BOUND, ", ") for part in _parts(grid, room)]
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
    title = [f"% {table.title}"] if table.title else []
    notes = [f"% {note}" for note in table.notes]
    return "\n".join([*title, _drawn(table.grid, "latex_booktabs"), *notes])


_PEOPLE = {"text": _as_text, "md": _as_markdown, "latex": _as_latex}


def _drawn(grid: Grid, form: str) -> str:
    return tabulate(
        grid.rows, grid.heads, tablefmt=form, colalign=grid.aligned or None, disable_numparse=True
    )


def _part(grid: Grid, part: Part) -> str:
    """Return some columns, cells wrapped to their widths."""
    of_part = grid.only(part.columns)
    rows = []
    for row in (of_part.heads, *of_part.rows):
        rows.append([_wrapped(cell, limit) for cell, limit in zip(row, part.widths, strict=True)])

    # headings are a row, as tabulate would make them wider
    rows.insert(1, ["-" * limit for limit in part.widths])
    return tabulate(rows, tablefmt="plain", colalign=of_part.aligned, disable_numparse=True)


def _wrapped(cell: str, limit: int) -> str:
    """Return a cell in lines of at most so many characters (tabulate fails to wrap beside
    numbers such as 94,000).
    """
    return "\n".join(
        textwrap.fill(line, limit, break_on_hyphens=False) for line in cell.split("\n")
    )


def _parts(grid: Grid, room: int) -> list[Part]:
    """Return the parts of a table: one if wrapping at blanks makes it fit, else each with all
    label columns.
    """
    columns = list(zip(grid.heads, *grid.rows, strict=True))
    widest = [_longest(column, "\n") for column in columns]
    longest_words = [_longest(column, "[ \n]") for column in columns]

    for limit in range(max(*widest, _NARROWEST), _NARROWEST - 1, -1):
        widths = [
            min(size, max(limit, word)) for size, word in zip(widest, longest_words, strict=True)
        ]
        if _total(widths) <= room:
            return [Part(list(range(len(widths))), widths)]

    return _split(widths, grid.labels, room)


def _longest(column: Sequence[str], separator: str) -> int:
    return max(len(part) for cell in column for part in re.split(separator, cell))


def _split(widths: Sequence[int], label_count: int, room: int) -> list[Part]:
    """Return parts that fit the room; labels are cut within words if they take more than their
    half of it.
    """
    labels, values = _label_widths(widths, label_count, room), widths[label_count:]

    parts = [Part(list(range(label_count)), labels)]
    for place, size in enumerate(values, label_count):
        width = min(size, room - _total(labels) - _GAP)
        last = parts[-1]
        if len(last.columns) > label_count and _total([*last.widths, width]) > room:
            last = Part(list(range(label_count)), labels)
            parts.append(last)
        parts[-1] = Part([*last.columns, place], [*last.widths, width])

    return parts


def _label_widths(widths: Sequence[int], label_count: int, room: int) -> list[int]:
    labels, values = list(widths[:label_count]), widths[label_count:]
    left = room - min(max(values, default=0), room // 2) - _GAP
    if _total(labels) <= left:
        return labels

    share = max(1, left // label_count - _GAP)
    return [min(size, share) for size in labels]


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
        elif isinstance(value, list | tuple):
            fields[name] = _without_formula(";".join(map(str, value)))
        else:
            fields[name] = _without_formula(value)

    return fields


def _without_formula(value: Any) -> Any:
    """Return a cell that no spreadsheet runs: models and answers are other people's texts."""
    if not isinstance(value, str) or _NUMBERS.fullmatch(value):
        return value
    return f"'{value}" if value.startswith(_FORMULAS) else value
