"""The tables and figures of the papers of SPIQA, MMStar and SciFIBench as data, and results that
others report.

`items.csv` lists every table and figure: what it shows, which tasks to run, and what makes it again
(`spiqa-tasks paper`). The values of a table are a CSV, one in each row, with key columns and a
metric. They keep the printed unit: percent, which is this package's natural unit times 100 (a
CIDEr of 124.6 is 1.246 here); counts, ranks and correlations are as printed. NOTES.md in this
folder explains the columns, and lists where the papers disagree with themselves.
"""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from spiqa_tasks.errors import InputError

PAPERS = ("spiqa", "mmstar", "scifibench")
# Columns of published tables that hold numbers; all others hold texts.
NUMBERS = ("value", "sd", "variance")


@dataclass(frozen=True)
class Item:
    """A table, figure or section of a paper.

    Attributes:
        key: its name on the command line and for `load`, `tableB1`.
        name: its name in the paper, `Table B.1`.
        needs: what makes it again: `runs` and perhaps `judge`; () if it cannot be made.
        maker: key of `commands.paper_tables.MAKERS`; '' if it cannot be made.
        tasks: arguments of lmms-eval's --tasks for its runs.
        note: what `spiqa-tasks paper` leaves out of it, or why it cannot be made.
        options: options of the maker: `by`, `metric` or `over`.
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
    for item in items():
        if item.paper == paper and _letters(item.name) == _letters(name):
            return item

    raise InputError(
        f"Expected a table or figure of {paper}, found {name}. `spiqa-tasks paper {paper}` lists"
        " them."
    )


def _letters(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[\W_]", "", name).lower()


def tables() -> list[tuple[str, str]]:
    """Return (paper, table) of every table that `load` knows, such as `("spiqa", "table3")`."""
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
    """Return scores that others than the benchmarks' authors report, a row per score.

    Values are percent, as those of `load`. `source` and `url` say who reports the score, `tasks`
    which tasks it is to be compared with, and `how` what differs from the paper's setting.
    """
    return _typed("reported.csv")


def read(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file in this folder as texts: `62.0` keeps its zero."""
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _typed(name: str) -> list[dict[str, str | float | None]]:
    """Return the rows of a file, with numbers as floats, and None for empty cells."""
    rows = read(name)
    for row in rows:
        for column, text in row.items():
            if not text:
                row[column] = None
            elif column in NUMBERS:
                row[column] = float(text)
    return rows
