"""Tables of a report, as texts: the page, the Markdown and the terminal show the same ones."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.report.forms import as_table, width
from spiqa_tasks.scoring.clustered import Estimate
from spiqa_tasks.scoring.units import percent

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: above it.
        columns: their names.
        rows: the texts of their cells.
        notes: sentences below it.
        texts: how many columns, from the left, hold text rather than numbers.
        published: further rows, whose numbers are printed in a paper.
        folded: whether the page shows it only when asked to.
    """

    title: str
    columns: Sequence[str]
    rows: Rows
    notes: Sequence[str] = ()
    texts: int = 1
    published: Rows = ()
    folded: bool = False


def as_text(table: Table, form: str = "text") -> str:
    """Return a table for a terminal, or in another form for people, its notes below it."""
    notes = [textwrap.fill(note, width()) for note in table.notes]
    return "\n\n".join([as_table([*table.rows, *table.published], table.columns, form), *notes])


def number(value: float | None, low: float = math.nan, high: float = math.nan) -> str:
    """Return a value times 100 with its interval; a dash where it is withheld."""
    if value is None or math.isnan(value):
        return "-"
    return percent(value) + ("" if math.isnan(low) or math.isnan(high) else f" [{percent(low)}, {percent(high)}]")


def estimated(estimate: Estimate | None) -> str:
    """Return an estimate times 100 with its interval; a dash where there is none."""
    return "-" if estimate is None else number(estimate.value, estimate.low, estimate.high)


def plain(value: float | None) -> str:
    """Return a number with three decimals; a dash where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.3f}"


def p_value(p: float) -> str:
    """Return a p-value with three decimals; a dash where there is none."""
    return "< 0.001" if p < 0.001 else plain(p)


def comparison_table(found: Sequence[Comparison]) -> Table:
    """Return the paired differences of runs."""
    rows = [
        [
            each.task,
            each.metric,
            each.b,
            each.a,
            str(each.difference.n),
            number(each.score_b),
            number(each.score_a),
            number(each.difference.mean, each.difference.low, each.difference.high),
            p_value(each.difference.p),
            p_value(each.p_corrected),
            str(len(each.won)),
            str(len(each.lost)),
            number(each.difference.smallest),
        ]
        for each in found
    ]
    columns = ("task", "metric", "run", "against", "n", "run x 100", "against x 100", "difference", "p", "p corrected")
    notes = [
        "The difference is the run minus the one it stands against, on the questions that both answered; 95% intervals "
        "of the paired t-test, clustered by paper in SPIQA. Corrected p-values are Holm's, for all lines together. "
        "Smallest: the smallest true difference that so many questions show with 80% probability.",
        *(f"{each.task}, {each.b} against {each.a}: {'; '.join(each.warnings)}." for each in found if each.warnings),
    ]
    return Table("Paired differences", [*columns, "won", "lost", "smallest"], rows, notes, 4)
