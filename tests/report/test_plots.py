"""Plots: what the page's template gets of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from report_runs import choices, run_of

from spiqa_tasks.report import plots
from spiqa_tasks.report.page import Report, Section, as_html, build
from spiqa_tasks.report.plots import Dot, Plot

SERIES_OF_TWO = {
    "run a": {"x": (0.5, 0.4, 0.6), "y": (0.75, None, None)},
    "run b": {"x": (0.25, 0.1, 0.3)},
}


def of_values(*values: float) -> Plot:
    """A plot of a run with a row per value."""
    return plots.intervals(
        "T", {"a": {str(number): (value, None, None) for number, value in enumerate(values)}}, "s"
    )


def test_each_row_has_a_dot_per_run() -> None:
    """A value without an interval has its ends at itself, and a run without a value no dot."""
    plot = plots.intervals("T", SERIES_OF_TWO, "accuracy x 100")
    assert (plot.title, plot.ticks) == ("T", [0, 20, 40, 60, 80])
    (x, of_x), (y, of_y) = plot.rows
    assert (x, y) == ("x", "y")
    assert [tuple(dot) for dot in of_x] == [
        (0, *(pytest.approx(number) for number in (50, 40, 60))),
        (1, *(pytest.approx(number) for number in (25, 10, 30))),
    ]
    assert of_y == [Dot(0, 75, 75, 75)]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.8, 0.82], [0, 20, 40, 60, 80, 100]),
        ([0.6], [0, 10, 20, 30, 40, 50, 60]),
        ([-0.1, 0.05], [-10, -5, 0, 5]),
        ([-0.3, -0.2], [-30, -25, -20, -15, -10, -5, 0]),
        ([0.0], [0, 0.1]),
        ([0.003], [0, 0.1, 0.2, 0.3]),
        ([1.246], [0, 50, 100, 150]),
        ([9.9], [0, 200, 400, 600, 800, 1000]),
        ([], [0, 0.1]),
    ],
)
def test_the_axis_has_few_round_ticks_and_0(values: list[float], ticks: list[float]) -> None:
    """Also far from it, for differences, for values of 0 alone, and for CIDEr."""
    assert of_values(*values).ticks == ticks


def test_runs_keep_their_colours() -> None:
    """Also beside runs without a value, which are not in the legend; the ninth colour is the first
    one.
    """
    others: Mapping[str, Any] = {str(number): {} for number in range(7)}
    plot = plots.intervals("T", {"run a": SERIES_OF_TWO["run a"], **others, **SERIES_OF_TWO}, "s")
    assert [(label, plot.colours[label]) for label in plot.series] == [("run a", 0), ("run b", 0)]
    plot = plots.intervals("T", SERIES_OF_TWO, "s")
    assert [(label, plot.colours[label]) for label in plot.series] == [("run a", 0), ("run b", 1)]


def test_the_legend_has_only_what_is_drawn() -> None:
    """A series all of whose rows are left out is not in it, and makes the axis no longer."""
    first: Mapping[str, Any] = {str(row): (0.5, None, None) for row in range(30)}
    plot = plots.intervals("T", {"published": first, "reported": {"x": (9.0, None, None)}}, "s")
    assert plot.title == "T (30 of 31 rows; the tables have all)"
    assert (list(plot.series), plot.ticks[-1]) == (["published"], 50)


def test_of_many_runs_and_rows_some_are_drawn() -> None:
    """The title says how many."""
    points: Mapping[str, Any] = {str(row): (0.5, None, None) for row in range(31)}
    plot = plots.intervals("T", {f"m{number}": points for number in range(9)}, "s")
    assert plot.title == (
        "T (30 of 31 rows; the tables have all) (8 of 9 runs; the tables have all)"
    )
    rows = list(plot.rows)
    assert (len(rows), {len(dots) for _, dots in rows}) == (30, {8})


def test_screen_readers_hear_what_a_plot_shows() -> None:
    """Its runs and rows, whose dots they do not see."""
    plot = plots.intervals("T", SERIES_OF_TWO, "accuracy x 100")
    page = as_html(Report("R", [], [Section("S", ["N."], plots=[plot])], []), "none")
    assert 'aria-label="accuracy x 100 of run a, run b by x, y."' in page


def test_the_page_has_the_dots_and_names_are_no_markup() -> None:
    """Of runs of a task, a row each, and a legend where a row has several runs."""
    records = choices([True, False])
    records[1] = replace(records[1], groups={"category": "logical_reasoning"})
    runs = [run_of(records, name) for name in ("<b>&$", "m")]
    page = as_html(build(runs), "none")
    assert "<dt>&lt;b&gt;&amp;$</dt>" in page
    assert '<li class="series-0">&lt;b&gt;&amp;$</li>' in page
    assert '<i class="series-0" style="--value: 50.0; --low: 9.' in page
