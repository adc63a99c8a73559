"""Figure types in both readings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.spiqa.figure_types import GROUPS, figure_group, groups_of
from spiqa_tasks.benchmarks.spiqa.release import read_papers

TABLE_4_TEST_A = {"schematic": 154, "plot": 301, "visualization": 131, "other": 95, "table": 434}


@given(st.text())
def test_every_label_has_a_group_in_both_readings(label: str) -> None:
    """No label, however odd, falls outside the groups; tables are tables whatever their label."""
    assert figure_group(label, False) in GROUPS
    assert figure_group(label, False, "released") in GROUPS
    assert figure_group(label, True) == "table"


def test_test_a_has_the_counts_of_table_4(real_data: Path) -> None:
    """The released reading of the figure types gives the paper's counts, the corrected one moves only "other"."""
    papers = read_papers(real_data / "spiqa/test-A/SPIQA_testA.json", "A")
    figures = [figure for paper in papers for figure in paper.figures.values()]
    assert len(papers) == 118
    assert sum(len(paper.questions) for paper in papers) == 666
    assert Counter(figure.group_released for figure in figures) == TABLE_4_TEST_A
    corrected = Counter(figure.group for figure in figures)
    assert corrected["other"] < 95
    assert corrected["table"] == 434 + 18
    assert corrected["schematic"] > 154


@pytest.mark.parametrize(
    ("label", "corrected", "released"),
    [
        ("Schematic", "schematic", "other"),
        ("** \n\nPlot.", "plot", "other"),
        ("photograph(s) and plot", "plot", "plot"),
        ("photograph(s)", "visualization", "visualization"),
        ("schematic plot", "schematic", "schematic"),
    ],
)
def test_case_tells_the_two_readings_apart(label: str, corrected: str, released: str) -> None:
    """Capitalised labels are other in the released reading; the first keyword in the paper's order wins."""
    assert (figure_group(label, False), figure_group(label, False, "released")) == (corrected, released)


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
