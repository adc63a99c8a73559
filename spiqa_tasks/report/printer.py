"""The printer of all commands: tables for people (text, Markdown, LaTeX), csv and json for
programs.

A command makes records in natural units, and says which columns people see and how. csv and json
have every field of the records.
"""

import argparse
import csv
import io
import json
import math
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tabulate import tabulate

from spiqa_tasks.files.json_text import without_nan
from spiqa_tasks.printable import printable

Records = Sequence[Mapping[str, Any]]

# Forms of the output for people.
STYLES = ("text", "md", "latex")
# All forms of the output.
FORMS = (*STYLES, "csv", "json")

# Characters in a line, if the output goes to no terminal.
WIDTH = 100
# Blanks between two columns of tabulate's format `plain`.
GAP = 2
# Characters that a wrapped column has at least: `100.0 [-100.0, 100.0]` stays on one line.
NARROWEST = 21

# Cells of columns that are aligned at the right: `75.0 [30.1, 95.4] (4 of 5)`, `< 0.001`, a dash.
_NUMBER = re.compile(r"[-+<±\d\s.,%\[\]()of]*")
# Characters that Markdown reads as markup, but for underscores within a word and `[30.1, 95.4]`.
_MARKUP = re.compile(r"[\\`*|<>#]|\[(?!-?\d)|\](?=\()|(?<![^\W_])_|_(?![^\W_])")
# First characters of a cell that spreadsheets read as a formula,
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
# but for numbers and lists of them: `-1.5;2`.
_NUMBERS = re.compile(r"[-+\d.e;]*")


def percent(value: float | None) -> str:
    """Return a value times 100 with one decimal; a dash for None."""
    if value is None:
        return "-"
    # -0.04 is rounded to -0.0, which adding 0 makes 0.0.
    return f"{round(100 * value, 1) + 0:.1f}"


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
    """Return a value as text: '' for None, `-` for NaN, `yes` and `no`, `a, b` for a list."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isnan(value):
        return "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


@dataclass(frozen=True)
class Column:
    """A column that people see.

    Attributes:
        name: field of the records, `difference.low` for a field of a dict. The cell of a record
            without the field is empty.
        head: heading (default: the last part of the name).
        show: function that returns the text of a cell, from the fields `name` and `more`.
        more: names of further fields, such as the ends of an interval.
    """

    name: str
    head: str = ""
    show: Callable[..., str] = shown
    more: Sequence[str] = ()

    def cell(self, flat: Mapping[str, Any]) -> str:
        """Return the text of a flat record's cell: one line, `printable`."""
        if self.name not in flat:
            return ""
        text = self.show(flat[self.name], *(flat.get(name) for name in self.more))
        return printable(text).replace("\n", " ")


# A bare name is `Column(name)`.
Columns = Sequence[Column | str]


class Grid(NamedTuple):
    """The texts of a table, and the alignment of each column, `left` or `right`."""

    heads: list[str]
    rows: list[list[str]]
    aligned: list[str]

    @property
    def labels(self) -> int:
        """The number of columns of text at the left, which say what a row is about."""
        return [*self.aligned, "right"].index("right")


@dataclass(frozen=True)
class Table:
    """Rows to print.

    Attributes:
        records: the rows, in natural units.
        columns: those that people see, but for such as are empty in every row.
        data: the records for csv and json (default: `records`); () if these leave the table out.
    """

    records: Records
    columns: Columns
    title: str = ""
    notes: Sequence[str] = ()
    data: Records | None = None

    @cached_property
    def grid(self) -> Grid:
        """The texts that people see, without columns that are empty in every row."""
        # A column may show a field of a dict, or the dict.
        flat = [{**record, **_flat(record)} for record in self.records]
        heads = []
        columns = []
        aligned = []
        for column in map(_as_column, self.columns):
            cells = [column.cell(record) for record in flat]
            if flat and not any(cells):
                continue

            heads.append(column.head or column.name.rpartition(".")[2])
            columns.append(cells)
            is_number = all(map(_NUMBER.fullmatch, cells))
            aligned.append("right" if is_number else "left")

        rows = list(map(list, zip(*columns, strict=True)))
        return Grid(heads, rows, aligned)


def _as_column(column: Column | str) -> Column:
    """Return a column; that of a name shows its values as they are."""
    return Column(column) if isinstance(column, str) else column


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`, and `--json` as its short form."""
    parser.add_argument(
        "--format",
        choices=FORMS,
        default="text",
        help="form of the output: values times 100 in tables, in natural units in csv and json",
    )
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )


def render(form: str, *tables: Table, whole: Any = None) -> str:
    """Return tables as text in one of `FORMS`; `whole` is the JSON value to print instead of the
    list of all records.
    """
    if form in STYLES:
        return "\n\n".join(_PEOPLE[form](table) for table in tables)

    records: list[Mapping[str, Any]] = []
    for table in tables:
        records += table.records if table.data is None else table.data
    if form == "csv":
        return as_csv(records)
    return as_json(records if whole is None else whole)


def as_json(value: Any) -> str:
    """Return JSON on several lines; None for NaN, which JSON lacks."""
    return json.dumps(without_nan(value), indent=1, ensure_ascii=False)


def as_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as CSV: a dict as columns `name.key`, a list joined by `;`, NaN as ''.

    A text that a spreadsheet would run as a formula has a `'` before it.
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
    """Return a text as Markdown on one line, escaped: names of models and tasks are the user's."""
    return _MARKUP.sub(r"\\\g<0>", text.replace("\n", " "))


def _as_text(table: Table) -> str:
    """Return a table for the terminal: cells are wrapped, then the columns are split."""
    grid = table.grid
    room = shutil.get_terminal_size((WIDTH, 24)).columns
    widths = _widths(grid, room)

    title = f"{table.title}\n" if table.title else ""
    parts = [_part_as_text(grid, part, widths) for part in _parts(grid, widths, room)]
    notes = ["\n".join(table.notes)] if table.notes else []
    return title + "\n\n".join([*parts, *notes])


def _part_as_text(grid: Grid, part: Sequence[int], widths: Sequence[int]) -> str:
    """Return the columns at the positions `part` as text, without rows whose values are all in
    other parts: a published row may be of one benchmark.
    """
    values = part[grid.labels :]
    rows = [
        row
        for row in grid.rows
        if any(row[column] for column in values) or not any(row[grid.labels :])
    ]
    # The headings are a row, as tabulate makes a column two wider than its heading.
    rows = [grid.heads, ["-" * width for width in widths], *rows]
    return tabulate(
        [[row[column] for column in part] for row in rows],
        tablefmt="plain",
        colalign=[grid.aligned[column] for column in part],
        disable_numparse=True,
        maxcolwidths=[widths[column] for column in part],
        break_long_words=False,
        break_on_hyphens=False,
    )


def _widths(grid: Grid, room: int) -> list[int]:
    """Return the columns' widths in characters: the widest are wrapped until all fit the room.

    Words stay whole: a table of long names is wider than the terminal.
    """
    columns = [list(column) for column in zip(grid.heads, *grid.rows, strict=True)]
    natural = [max(map(len, column)) for column in columns]
    words = [max(map(len, " ".join(column).split(" "))) for column in columns]

    widths = natural
    for limit in range(max(natural, default=0), NARROWEST - 1, -1):
        widths = [min(max(limit, word), size) for size, word in zip(natural, words, strict=True)]
        if _total(widths) <= room:
            break
    return widths


def _parts(grid: Grid, widths: Sequence[int], room: int) -> list[list[int]]:
    """Return the positions of the columns of each part that fits the room.

    Each begins with the labels: one label and three numbers, two of which fit, are
    `[[0, 1, 2], [0, 3]]`.
    """
    labels = list(range(grid.labels))
    # beside labels that fill the terminal, too, there is room for a number
    room = max(room, _total(widths[: grid.labels]) + GAP + NARROWEST)
    parts = [labels]
    for column in range(grid.labels, len(widths)):
        longer = [*parts[-1], column]
        if parts[-1] != labels and _total([widths[position] for position in longer]) > room:
            parts.append([*labels, column])
        else:
            parts[-1] = longer
    return parts


def _total(widths: Sequence[int]) -> int:
    """Return the width of columns side by side."""
    return sum(widths) + GAP * (len(widths) - 1)


def _as_markdown(table: Table) -> str:
    """Return a table with its title and notes in Markdown."""
    grid = table.grid
    rows = [[markdown(cell) for cell in row] for row in grid.rows]
    escaped = grid._replace(heads=[markdown(head) for head in grid.heads], rows=rows)
    title = [f"### {markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, _tabulated(escaped, "github"), *map(markdown, table.notes)])


def _as_latex(table: Table) -> str:
    """Return a table in LaTeX, its title and notes as comments."""
    comments = [f"% {text}" for text in (table.title, *table.notes) if text]
    return "\n".join([*comments, _tabulated(table.grid, "latex_booktabs")])


def _tabulated(grid: Grid, form: str) -> str:
    """Return a grid in a form of `tabulate`, its cells as they are."""
    return tabulate(
        grid.rows, grid.heads, tablefmt=form, colalign=grid.aligned or None, disable_numparse=True
    )


# Form of `STYLES` -> its writer.
_PEOPLE = {"text": _as_text, "md": _as_markdown, "latex": _as_latex}


def _flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a record with the fields of its dicts as `name.key`."""
    fields: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            fields |= _flat(value, f"{prefix}{key}.")
        else:
            fields[f"{prefix}{key}"] = value
    return fields


def _csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet runs: answers of models are strangers' texts."""
    if isinstance(value, list | tuple):
        value = ";".join(map(str, value))
    if isinstance(value, str) and value.startswith(_FORMULAS) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value
