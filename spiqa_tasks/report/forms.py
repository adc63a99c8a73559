"""The forms in which rows are printed: tables for people, csv and json for programs."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

from spiqa_tasks.scoring.units import without_nan

STYLES = {"text": "simple", "md": "github", "latex": "latex_booktabs"}
FORMS = (*STYLES, "csv", "json")

Records = Sequence[Mapping[str, Any]]


def add_format(parser: argparse.ArgumentParser, forms: Sequence[str] = FORMS) -> None:
    """Add `--format`, and `--json` as its short form."""
    told = "of what is printed: tables have values x 100; csv and json natural units (default: text)"
    parser.add_argument("--format", choices=forms, default="text", help=told)
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="short for --format json")


def rendered(form: str, records: Records, cells: Sequence[Sequence[Any]], headers: Sequence[str]) -> str:
    """Return rows in a form.

    Args:
        form: one of `FORMS`.
        records: the rows for programs, in natural units.
        cells: the rows for people.
        headers: the columns of these.
    """
    if form == "json":
        return json.dumps(without_nan([dict(record) for record in records]), indent=1, ensure_ascii=False)
    if form == "csv":
        return as_csv(records).rstrip("\n")
    return as_table(cells, headers, form)


def as_table(cells: Sequence[Sequence[Any]], headers: Sequence[str], form: str = "text") -> str:
    """Return a table for people; `csv` and `json` are none."""
    return tabulate([list(row) for row in cells], list(headers), tablefmt=STYLES[form], disable_numparse=True)


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
