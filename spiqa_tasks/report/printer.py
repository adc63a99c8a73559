"""The printer of all commands: tables for people (text, Markdown, LaTeX), csv and json for
programs.

A command makes records in natural units and names the columns that people see, and how they are
shown; csv and json have every field of the records.
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

from spiqa_tasks.files.json_text import without_nan
from spiqa_tasks.printable import printable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Records = Sequence[Mapping[str, Any]]

# Forms for people, and all.
STYLES = ("text", "md", "latex")
FORMS = (*STYLES, "csv", "json")

# Columns of a terminal, where the output goes elsewhere.
WIDTH = 100
# Blanks between two columns of tabulate's format `plain`.
GAP = 2
# Characters to which cells are wrapped at most: `100.0 [-100.0, 100.0]` stays on one line.
NARROWEST = 21

# Cells of columns that are aligned at the right: `75.0 [30.1, 95.4] (4 of 5)`, `< 0.001`, a dash.
_NUMBER = re.compile(r"[-+<±\d\s.,%\[\]()of]*")
# What Markdown reads as markup: an underscore within a word is none, nor is `[30.1, 95.4]`.
_MARKUP = re.compile(r"[\\`*|<>#]|\[(?!-?\d)|\](?=\()|(?<![^\W_])_|_(?![^\W_])")
# Beginnings of a cell that spreadsheets take for a formula, and what is none all the same.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = re.compile(r"[-+\d.e;]*")


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal; a dash for None."""
    # adding 0 makes a rounded -0.0 a 0.0
    return "-" if value is None else f"{round(100 * value, 1) + 0:.1f}"


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Return a value times 100 with its interval; a dash for None and NaN."""
    if value is None or math.isnan(value):
        return "-"
    if low is None or high is None:
        return percent(value)
    return f"{percent(value)} [{percent(low)}, {percent(high)}]"


def p_value(p: float | None) -> str:
    """Return a p-value with three decimals, never 0; a dash for None and NaN."""
    if p is None or math.isnan(p):
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


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
        name: field of the records, `difference.low` for one of a dict; without it a cell is empty.
        head: heading (default: the last part of the name).
        show: the text of a cell, from the value of the field and those of `more`.
        more: further fields that `show` takes, such as the ends of an interval.
    """

    name: str
    head: str = ""
    show: Callable[..., str] = shown
    more: Sequence[str] = ()

    def cell(self, flat: Mapping[str, Any]) -> str:
        """Return the text of a flat record's cell, on one line, without what steers a terminal."""
        if self.name not in flat:
            return ""
        text = self.show(flat[self.name], *(flat.get(name) for name in self.more))
        return printable(text).replace("\n", " ")


# A bare name is `Column(name)`.
Columns = Sequence[Column | str]


class Grid(NamedTuple):
    """The texts of a table, how many columns from the left are labels, and whether each column is
    aligned `left` or `right`.
    """

    heads: list[str]
    rows: list[list[str]]
    labels: int
    aligned: list[str]


@dataclass(frozen=True)
class Table:
    """Rows to print.

    Attributes:
        records: the rows, in natural units.
        labels: columns that say what a row is about; they stand in every part of a table that is
            wider than the terminal.
        values: the other columns; those of numbers are aligned at the right.
        data: what csv and json print (default: the records); () if people alone see the table.
    """

    records: Records
    labels: Columns
    values: Columns
    title: str = ""
    notes: Sequence[str] = ()
    data: Records | None = None

    @cached_property
    def grid(self) -> Grid:
        """The texts that people see, without columns that are empty in every row."""
        flat = [{**record, **_flat(record)} for record in self.records]
        labels = 0
        heads = []
        columns = []
        aligned = []
        for place, column in enumerate(map(_as_column, [*self.labels, *self.values])):
            cells = [column.cell(record) for record in flat]
            if flat and not any(cells):
                continue

            is_label = place < len(self.labels)
            labels += is_label
            heads.append(column.head or column.name.rpartition(".")[2])
            columns.append(cells)
            is_number = all(map(_NUMBER.fullmatch, cells))
            aligned.append("right" if is_number and not is_label else "left")

        rows = [list(row) for row in zip(*columns, strict=True)]
        return Grid(heads, rows, labels, aligned)


def _as_column(given: Column | str) -> Column:
    return Column(given) if isinstance(given, str) else given


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`, and `--json` as its short form."""
    about = "form of the output: values times 100 in tables, in natural units in csv and json"
    parser.add_argument("--format", choices=FORMS, default="text", help=about)
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )


def render(form: str, *tables: Table, whole: Any = None) -> str:
    """Return tables in one of `FORMS`; json is `whole` (default: the list of all records)."""
    if form in STYLES:
        return "\n\n".join(_PEOPLE[form](table) for table in tables)

    records: list[Mapping[str, Any]] = []
    for table in tables:
        records += table.records if table.data is None else table.data
    if form == "csv":
        return as_csv(records)
    return as_json(records if whole is None else whole)


def as_records(items: Iterable[DataclassInstance]) -> list[dict[str, Any]]:
    """Return dataclasses as records of all their fields."""
    return [dataclasses.asdict(item) for item in items]


def as_json(value: Any) -> str:
    """Return JSON on several lines; None for NaN, which JSON lacks."""
    return json.dumps(without_nan(value), indent=1, ensure_ascii=False)


def as_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as CSV: a dict is columns (`name.key`), a list is joined by `;`, NaN is empty.

    Texts that a spreadsheet would run as formulas begin with `'`.
    """
    rows = []
    for record in records:
        flat = without_nan(_flat(record))
        rows.append({name: _csv_cell(value) for name, value in flat.items()})
    columns = dict.fromkeys(name for row in rows for name in row)

    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().removesuffix("\n")


def markdown(text: str) -> str:
    """Return text in which Markdown finds no markup: names of models and tasks are the user's."""
    return _MARKUP.sub(r"\\\g<0>", text.replace("\n", " "))


def _as_text(table: Table) -> str:
    grid = table.grid
    room = shutil.get_terminal_size((WIDTH, 24)).columns
    columns = [list(column) for column in zip(grid.heads, *grid.rows, strict=True)]
    widths = _widths(columns, grid.labels, room)

    parts = _parts(widths, grid.labels, room)
    texts = [_part_as_text(grid, part, widths) for part in parts]
    title = f"{table.title}\n" if table.title else ""
    notes = ["\n".join(table.notes)] if table.notes else []
    return title + "\n\n".join([*texts, *notes])


def _part_as_text(grid: Grid, part: Sequence[int], widths: Sequence[int]) -> str:
    """Return some columns, without the rows whose values are all in other columns: published rows
    have those of one benchmark.
    """
    # Headings are a row, as tabulate makes columns wider than their headings.
    rows = [
        [_wrapped(row[place], widths[place]) for place in part]
        for row in (grid.heads, *grid.rows)
        if any(row[place] for place in part[grid.labels :]) or not any(row[grid.labels :])
    ]
    rows.insert(1, ["-" * widths[place] for place in part])
    aligned = [grid.aligned[place] for place in part]
    return tabulate(rows, tablefmt="plain", colalign=aligned, disable_numparse=True)


def _widths(columns: Sequence[Sequence[str]], labels: int, room: int) -> list[int]:
    """Return the columns' widths, the widest ones wrapped at blanks until the table fits.

    Names are broken, too, if labels fill the room, as paths of checkpoints do.
    """
    natural = [max(map(len, column)) for column in columns]
    words = [max(map(len, " ".join(column).split(" "))) for column in columns]
    if _total(natural[:labels]) > room - NARROWEST:
        words = [min(word, NARROWEST) for word in words]

    widths = natural
    for limit in range(max(natural, default=0), NARROWEST - 1, -1):
        widths = [min(max(limit, word), size) for size, word in zip(natural, words, strict=True)]
        if _total(widths) <= room:
            break
    return widths


def _parts(widths: Sequence[int], labels: int, room: int) -> list[list[int]]:
    """Return which columns stand side by side, in several parts if a table does not fit the room.

    The label columns stand in each part.
    """
    parts = [list(range(labels))]
    for place in range(labels, len(widths)):
        last = [*parts[-1], place]
        if len(last) > labels + 1 and _total([widths[each] for each in last]) > room:
            parts.append([*range(labels), place])
        else:
            parts[-1] = last
    return parts


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_on_hyphens=False)


def _as_markdown(table: Table) -> str:
    grid = table.grid
    rows = [[markdown(cell) for cell in row] for row in grid.rows]
    escaped = grid._replace(heads=[markdown(head) for head in grid.heads], rows=rows)
    title = [f"### {markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, _drawn(escaped, "github"), *map(markdown, table.notes)])


def _as_latex(table: Table) -> str:
    comments = [f"% {text}" for text in (table.title, *table.notes) if text]
    return "\n".join([*comments, _drawn(table.grid, "latex_booktabs")])


def _drawn(grid: Grid, form: str) -> str:
    return tabulate(
        grid.rows, grid.heads, tablefmt=form, colalign=grid.aligned or None, disable_numparse=True
    )


# Form -> its writer; json and csv are for programs and have all digits.
_PEOPLE = {"text": _as_text, "md": _as_markdown, "latex": _as_latex}


def _flat(record: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Return a record with the fields of its dicts as `name.key`."""
    fields: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            fields |= _flat(value, f"{within}{key}.")
        else:
            fields[f"{within}{key}"] = value
    return fields


def _csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet runs: models and answers are other people's texts."""
    if isinstance(value, list | tuple):
        value = ";".join(map(str, value))
    if isinstance(value, str) and value.startswith(_FORMULAS) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value
