"""The forms in which rows are printed: tables for people, csv and json for programs."""

from __future__ import annotations

import argparse
import csv
import io
import json
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tabulate import tabulate

from spiqa_tasks.scoring.units import without_nan

_TABLES = {"md": "github", "latex": "latex_booktabs"}
STYLES = ("text", *_TABLES)
FORMS = (*STYLES, "csv", "json")

Records = Sequence[Mapping[str, Any]]
Rows = Sequence[Sequence[str]]
_GAP = 2
_NARROWEST = 20
"""Columns of text to which a cell is wrapped rather than that the table is split."""


def add_format(parser: argparse.ArgumentParser, forms: Sequence[str] = FORMS) -> None:
    """Add `--format`, and `--json` as its short form."""
    told = "of what is printed: tables have values x 100; csv and json natural units (default: text)"
    parser.add_argument("--format", choices=forms, default="text", help=told)
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="short for --format json")


def rendered(form: str, records: Records, cells: Sequence[Sequence[Any]] = (), headers: Sequence[str] = ()) -> str:
    """Return rows in a form.

    Args:
        form: one of `FORMS`.
        records: the rows for programs, in natural units.
        cells: the rows for people, where the form can be one for them.
        headers: the columns of these.
    """
    if form == "json":
        return json.dumps(without_nan([dict(record) for record in records]), indent=1, ensure_ascii=False)
    if form == "csv":
        return as_csv(records).rstrip("\n")
    return as_table(cells, headers, form)


def as_jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as JSON, one a line."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def as_table(cells: Sequence[Sequence[Any]], headers: Sequence[str], form: str = "text") -> str:
    """Return a table for people; `csv` and `json` are none.

    As text it fits `width()`: cells are wrapped at blanks; where that is not enough, groups of columns stand below each
    other, each behind the columns that tell the rows apart.
    """
    rows = [["" if cell is None else str(cell) for cell in row] for row in (headers, *cells)]
    if form == "text":
        return "\n\n".join(map(_drawn, _fitted(rows, width())))
    return tabulate(rows[1:], rows[0], tablefmt=_TABLES[form], disable_numparse=True)


def width() -> int:
    """Return the columns of the terminal, or 100 where the output goes elsewhere."""
    return max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns)


def _fitted(rows: Rows, room: int) -> list[Rows]:
    widths, words = (_sizes(rows, separator) for separator in ("\n", None))
    for limit in range(max(*widths, _NARROWEST), _NARROWEST - 1, -1):
        limits = [min(size, max(limit, word)) for size, word in zip(widths, words, strict=True)]
        if sum(limits) + _GAP * (len(limits) - 1) <= room:
            return [_wrapped(rows, limits)]
    return _split(rows, widths, room)


def _sizes(rows: Rows, separator: str | None) -> list[int]:
    columns = zip(*rows, strict=True)
    return [max((len(part) for cell in column for part in cell.split(separator)), default=0) for column in columns]


def _split(rows: Rows, widths: Sequence[int], room: int) -> list[Rows]:
    """Groups of columns, each with the columns that tell the rows apart."""
    keys = _key_columns(rows[1:], widths, room // 2)
    limits = list(widths)
    limits[keys[0]] = min(limits[keys[0]], room // 2)
    behind = room - sum(limits[key] + _GAP for key in keys)
    groups: list[list[int]] = []
    left = 0
    for place in (place for place in range(len(limits)) if place not in keys):
        limits[place] = min(limits[place], behind)
        if limits[place] > left:
            groups.append([*keys])
            left = behind
        groups[-1].append(place)
        left -= limits[place] + _GAP
    rows = _wrapped(rows, limits)
    return [[[row[place] for place in sorted(group)] for row in rows] for group in groups]


def _key_columns(rows: Rows, widths: Sequence[int], room: int) -> list[int]:
    """The first columns that differ between rows, as many as tell these apart and fit; else the first column."""
    keys: list[int] = []
    for place, column in enumerate(zip(*rows, strict=True)):
        if len({tuple(row[key] for key in keys) for row in rows}) == len(rows):
            break
        if len(set(column)) > 1 and sum(widths[key] + _GAP for key in keys) + widths[place] <= room:
            keys.append(place)
    return keys or [0]


def _wrapped(rows: Rows, limits: Sequence[int]) -> Rows:
    return [[_folded(cell, limit) for cell, limit in zip(row, limits, strict=True)] for row in rows]


def _folded(cell: str, limit: int) -> str:
    if len(cell) <= limit:
        return cell
    return "\n".join(textwrap.fill(line, limit, break_on_hyphens=False) for line in cell.split("\n"))


def _drawn(rows: Rows) -> str:
    widths = _sizes(rows, "\n")
    head, *lines = (list(zip_longest(*(cell.split("\n") for cell in row), fillvalue="")) for row in rows)
    shown = [*head, ["-" * size for size in widths], *(line for row in lines for line in row)]
    return "\n".join((" " * _GAP).join(map(str.ljust, line, widths)).rstrip() for line in shown)


def as_csv(records: Records) -> str:
    """Return records as CSV: a dict is columns of its own (`name.key`), a list is joined by `;`, NaN is empty."""
    flat = [_flat(record) for record in records]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return buffer.getvalue()


def _flat(record: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in without_nan(dict(record)).items():
        name = f"{within}{key}"
        if isinstance(value, Mapping):
            found |= _flat(value, f"{name}.")
        else:
            found[name] = _cell(";".join(map(str, value)) if isinstance(value, list | tuple) else value)
    return found


def _cell(value: Any) -> Any:
    """The value; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
