"""The result tables printed in the papers of SPIQA, MMStar and SciFIBench, and scores that others report, as data.

One long CSV per table: key columns, a metric and a value. Values keep the printed unit: percent, that is this
package's natural unit times 100 (a CIDEr of 124.6 is 1.246 here); counts, ranks and correlations are as they are.
NOTES.md beside the files explains the columns and lists every place where the papers disagree with themselves.
"""

from __future__ import annotations

import csv
from importlib import resources

from spiqa_tasks.errors import InputError

_NUMBERS = frozenset({"value", "sd", "variance"})


def tables() -> list[tuple[str, str, str]]:
    """Return every table that `load` knows as (paper, table, title), in the order of the papers."""
    return [(row["paper"], row["table"], row["title"]) for row in read_table("tables.csv")]


def load(paper: str, table: str) -> list[dict[str, str | float | None]]:
    """Return the rows of one published table, for example `load("spiqa", "table3")`.

    Columns `value`, `sd` and `variance` are floats in the printed unit (percent, natural units times 100);
    all other columns are strings. A cell that is empty or a dash in the paper is None.

    Raises InputError: `tables()` has no such paper or table.
    """
    known = [key for name, key, _ in tables() if name == paper]
    if table not in known:
        choices = ", ".join(known or dict.fromkeys(name for name, *_ in tables()))
        raise InputError(f"Expected a published table of a paper ({choices}), found {table} of {paper}. Correct it.")
    return [{column: _cell(column, text) for column, text in row.items()} for row in read_table(f"{paper}_{table}.csv")]


def reported() -> list[dict[str, str | float | None]]:
    """Return scores that others than the benchmarks' authors report: a row per score, with `source` and `url`.

    `tasks` are the tasks beside whose runs a row stands, `how` says what differs from the paper's setting. Values are
    percent, as those of `load`.
    """
    return [{column: _cell(column, text) for column, text in row.items()} for row in read_table("reported.csv")]


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a file beside this module."""
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _cell(column: str, text: str) -> str | float | None:
    if not text:
        return None
    return float(text) if column in _NUMBERS else text
