"""The groups that SPIQA's metrics are also told for: `metric/group` (paper, Tables 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NOT_PLOTS = ("schematic", "visualization", "other")
"""What Table 6 calls "Other figures": every figure that is no plot (see published/NOTES.md)."""

MOST_FIGURES = 8


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
