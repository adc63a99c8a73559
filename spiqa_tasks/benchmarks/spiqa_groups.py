"""The groups that SPIQA's metrics are also told for: `metric/group` (paper, Tables 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TYPED = ("l3score", "bertscore_f1", "cider")
"""The metrics of Table 6, told in both readings of the figure types."""

NOT_PLOTS = ("schematic", "visualization", "other")
"""What Table 6 calls "Other figures": every figure that is no plot (see published/NOTES.md)."""

MOST_FIGURES = 8


def groups_of(metric: str, row: Mapping[str, Any], figures: int) -> list[str]:
    """The groups of a question for a metric.

    Args:
        metric: its name without a group.
        row: the question's; its type is that of the first figure that the answer needs.
        figures: how many figures are shown.

    Returns:
        Its type; for Table 6's metrics also `released_<type>`, the type that Table 4 counts, and `nonplot`; for
        l3score also `figures_<number>`, `figures_9+` beyond eight.
    """
    groups = [row["group"]]
    if metric in TYPED:
        groups.append(f"released_{row['group_released']}")
        groups += ["nonplot"] * (row["group"] in NOT_PLOTS)
    if metric == "l3score":
        groups.append(f"figures_{figures}" if figures <= MOST_FIGURES else f"figures_{MOST_FIGURES + 1}+")
    return groups
