"""Every table and figure of the papers of SPIQA, MMStar and SciFIBench, and printed and reported
results, as data.

`items.csv` says what each shows, which tasks to run, and what makes it again (`spiqa-tasks paper`).
Results are one
long CSV per table: key columns, a metric and a value. Values keep the printed unit: percent,
that is this package's natural unit times 100 (a CIDEr of 124.6 is 1.246 here); counts, ranks and
correlations are as they are. NOTES.md beside the files explains the columns and lists every
place where the papers disagree with themselves.
"""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from spiqa_tasks.errors import InputError

PAPERS = ("spiqa", "mmstar", "scifibench")
# Columns that are numbers in every published table; others are texts.
_NUMBERS = frozenset({"value", "sd", "variance"})


@dataclass(frozen=True)
class Item:
    """A table, figure or section of a paper.

    Attributes:
        key, name: `tableB1` on the command line and for `load`, `Table B.1` in the paper.
        needs: `data`, or `runs` and perhaps `judge`; () if nothing makes it.
        maker: function of `commands.paper_tables` that makes it again, `counts`, or ''.
        tasks: arguments of lmms-eval's --tasks for its runs; benchmarks for counts of the data.
        note: what is missing of it, or why nothing makes it.
        options: of the maker: `by`, `metric` or `over`.
    """

    paper: str
    key: str
    name: str
    shows: str
    needs: tuple[str, ...]
    maker: str
    tasks: tuple[str, ...]
    note: str
    options: dict[str, str]


@cache
def items() -> tuple[Item, ...]:
    """Return every item, in the order of the papers."""
    all_items = []
    for row in read("items.csv"):
        row["options"] = dict(option.split("=") for option in row["options"].split())
        for name in ("needs", "tasks"):
            row[name] = tuple(row[name].split())
        all_items.append(Item(**row))
    return tuple(all_items)


def item_named(paper: str, name: str) -> Item:
    """Return a paper's item by its name in any spelling: `tableb1`, `Table B.1`.

    Raises InputError: the paper has none of that name.
    """
    wanted = re.sub(r"[\W_]", "", name).lower()
    named = {
        re.sub(r"[\W_]", "", item.name).lower(): item for item in items() if item.paper == paper
    }
    if wanted not in named:
        known = ", ".join(item.key for item in named.values())
        raise InputError(
            f"Expected a table or figure of {paper}, found {name}. Choose one of {known}."
        )
    return named[wanted]


def tables() -> list[tuple[str, str]]:
    """Return every table that `load` knows as (paper, table)."""
    files = resources.files(__name__).iterdir()
    stems = [file.name.removesuffix(".csv").partition("_") for file in files]
    return sorted((paper, table) for paper, _, table in stems if paper in PAPERS)


def load(paper: str, table: str) -> list[dict[str, str | float | None]]:
    """Return the rows of one published table, for example `load("spiqa", "table3")`.

    Columns `value`, `sd` and `variance` are floats in the printed unit (percent, natural units
    times 100); all other columns are strings. A cell that is empty or a dash in the paper is None.

    Raises InputError: `tables()` has no such paper or table.
    """
    if (paper, table) not in tables():
        choices = ", ".join([key for name, key in tables() if name == paper] or PAPERS)
        raise InputError(
            f"Expected a published table of a paper ({choices}), found {table} of {paper}."
            " Correct it."
        )
    return _typed(f"{paper}_{table}.csv")


def reported() -> list[dict[str, str | float | None]]:
    """Return scores that others than the benchmarks' authors report: a row per score, with `source`
    and `url`.

    `tasks` are the tasks beside whose runs a row stands, `how` says what differs from the
    paper's setting. Values are percent, as those of `load`.
    """
    return _typed("reported.csv")


def read(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file in this folder as texts: `62.0` keeps its zero."""
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _typed(name: str) -> list[dict[str, str | float | None]]:
    as_number = dict.fromkeys(_NUMBERS, float)
    return [
        {key: as_number.get(key, str)(text) if text else None for key, text in row.items()}
        for row in read(name)
    ]
