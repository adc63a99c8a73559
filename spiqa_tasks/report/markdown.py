"""Tables as Markdown, and as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tabulate import tabulate

from spiqa_tasks.report.content import Report, Section
from spiqa_tasks.report.forms import as_table, width
from spiqa_tasks.report.tables import Table


def as_text(table: Table, form: str = "text") -> str:
    """Return a table for a terminal, or in another form for people, its notes below it."""
    cells = [list(line.cells) for line in table.lines]
    notes = [textwrap.fill(note, width()) for note in table.notes]
    return "\n\n".join([as_table(cells, table.columns, form), *notes])


def as_markdown(report: Report) -> str:
    """Return all tables of a report as Markdown; plots and samples are in the page only."""
    sections = [part for section in report.sections for part in _section(section)]
    return "\n\n".join([f"# {report.title}", *map(_escaped, report.notes), *sections]) + "\n"


def _section(section: Section) -> Sequence[str]:
    tables = [part for table in section.tables for part in (f"### {_escaped(table.title)}", *_table(table))]
    return [f"## {_escaped(section.title)}", *map(_escaped, section.notes), *tables] if tables or section.notes else []


def _table(table: Table) -> Sequence[str]:
    cells = [[_escaped(cell) for cell in line.cells] for line in table.lines]
    aligned = ["left" if place < table.texts else "right" for place in range(len(table.columns))]
    text = tabulate(cells, table.columns, tablefmt="github", disable_numparse=True, colalign=aligned)
    return [text, *map(_escaped, table.notes)]


def _escaped(text: str) -> str:
    """The text with nothing that Markdown reads: names of models and tasks are the user's."""
    return "".join(f"\\{letter}" if letter in "\\`*_|<>[]#" else letter for letter in text)
