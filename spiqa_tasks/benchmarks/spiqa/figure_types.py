"""Figure types of SPIQA in two readings, and the groups of its questions (paper section 3.3, Table 4).

The labels of test-A, val and train are raw model output (`Plot`, `** plot`, `plot.`, ...). The paper's counts come out
when figures are matched by case-sensitive substring, so that every capitalised label becomes "other": the reading
`released`. The reading `corrected` ignores case, and takes a figure whose label says table for one (18 of test-A's,
whose `content_type` is figure).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

Reading = Literal["corrected", "released"]
GROUPS = ("table", "schematic", "plot", "visualization", "other")
"""Tables, schematics, plots & charts, visualizations, other figures: the columns of Table 6, in the paper's order."""

NOT_PLOTS = ("schematic", "visualization", "other")
"""What Table 6 calls "Other figures": every figure that is no plot (see published/NOTES.md)."""
MOST_FIGURES = 8
_KEYWORDS = {"schematic": "schematic", "plot": "plot", "photograph": "visualization"}
_CORRECTED = {**_KEYWORDS, "table": "table"}


@cache
def figure_group(label: str, is_table: bool, reading: Reading = "corrected") -> str:
    """The group of a figure: one of `GROUPS`.

    Args:
        label: the release's `figure_type`.
        is_table: whether the release says it is a table (A, val, train: `content_type`; B: its label).
        reading: `released` reproduces Table 4; `corrected` ignores the label's case and knows tables by it too.
    """
    if is_table:
        return "table"
    text, keywords = (label.lower(), _CORRECTED) if reading == "corrected" else (label, _KEYWORDS)
    return next((group for keyword, group in keywords.items() if keyword in text), "other")


def groups_of(row: Mapping[str, Any], figures: int) -> dict[str, str]:
    """Return the groups of a question, by kind.

    Args:
        row: the question's; its type is that of the first figure that the answer needs.
        figures: how many figures are shown; 0 where that is not known.

    Returns:
        `type`, the figure type; `released_type`, the type that Table 4 counts, as `released_<type>`; `nonplot` for
        figures that are neither plot nor table; `figures`, as `figures_<number>`, `figures_9+` beyond eight.
    """
    shown = f"figures_{figures}" if figures <= MOST_FIGURES else f"figures_{MOST_FIGURES + 1}+"
    nonplot = {"nonplot": "nonplot"} if row["group"] in NOT_PLOTS else {}
    told = {"figures": shown} if figures else {}
    return {"type": row["group"], **nonplot, "released_type": f"released_{row['group_released']}", **told}
