"""The groups of a SPIQA question."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.spiqa.groups import groups_of


def test_groups_tell_both_readings_and_the_number_of_figures() -> None:
    """A capitalised Schematic is a schematic, counted as other in Table 4, and no plot."""
    question = {"group": "schematic", "group_released": "other"}
    assert groups_of(question, 8) == {
        "type": "schematic",
        "nonplot": "nonplot",
        "released_type": "released_other",
        "figures": "figures_8",
    }


@pytest.mark.parametrize(
    ("figures", "name"), [(1, "figures_1"), (8, "figures_8"), (9, "figures_9+"), (40, "figures_9+")]
)
def test_more_than_eight_figures_are_one_group(figures: int, name: str) -> None:
    """Up to eight each number is a group of its own."""
    assert groups_of({"group": "plot", "group_released": "plot"}, figures)["figures"] == name


@pytest.mark.parametrize(
    ("kind", "nonplot"), [("plot", False), ("table", False), ("visualization", True), ("other", True)]
)
def test_figures_that_are_neither_plot_nor_table_are_nonplots(kind: str, nonplot: bool) -> None:
    """Table 6's other figures are schematics, visualizations and others."""
    assert ("nonplot" in groups_of({"group": kind, "group_released": kind}, 1)) == nonplot
