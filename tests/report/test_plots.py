"""Plots: what the page's template gets of them."""

from collections.abc import Mapping
from typing import Any

import pytest
from report_runs import choices, run_of

from spiqa_tasks.report import plots
from spiqa_tasks.report.page import as_html, build
from spiqa_tasks.report.plots import Dot, Plot

SERIES_OF_TWO = {
    "run a": {"x": (0.5, 0.4, 0.6), "y": (0.75, None, None)},
    "run b": {"x": (0.25, 0.1, 0.3), "y": (None, None, None)},
}


def of_values(*values: float) -> Plot:
    """A plot of a run with a row per value."""
    return plots.intervals(
        "T", {"a": {str(number): (value, None, None) for number, value in enumerate(values)}}, "s"
    )


def test_each_row_has_a_dot_per_run() -> None:
    """In percent of the axis, which ends at the ticks; a value without an interval has its ends at
    itself, and a withheld one has no dot.
    """
    plot = plots.intervals("T", SERIES_OF_TWO, "accuracy x 100")
    assert (plot.title, plot.ticks) == ("T", [0, 20, 40, 60, 80])
    (x, of_x), (y, of_y) = plot.rows
    assert (x, y) == ("x", "y")
    assert [tuple(dot) for dot in of_x] == [
        (0, *(pytest.approx(number) for number in (62.5, 50, 75))),
        (1, *(pytest.approx(number) for number in (31.25, 12.5, 37.5))),
    ]
    assert of_y == [Dot(0, 93.75, 93.75, 93.75)]


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
    plot = of_values(*values)
    assert plot.ticks == ticks
    first, last = ticks[0], ticks[-1]
    assert plot.zero == pytest.approx(-100 * first / (last - first))


def test_runs_keep_their_colours() -> None:
    """Those of the page; the ninth colour is the first one."""
    plot = plots.intervals("T", SERIES_OF_TWO, "s", {"run b": 8, "other": 1})
    assert plot.colours == {"run a": 0, "run b": 0}
    assert plots.intervals("T", SERIES_OF_TWO, "s").colours == {"run a": 0, "run b": 1}


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
    assert plot.description == "accuracy x 100 of run a, run b by x, y."


def test_the_page_has_the_dots_and_names_are_no_markup() -> None:
    """Of runs of a task, a row each, and a legend where a row has several runs."""
    runs = [run_of(choices([True, False]), name) for name in ("<b>&$", "m")]
    page = as_html(build(runs), "none")
    assert "<dt>&lt;b&gt;&amp;$</dt>" in page
    assert '<li class="series-0">&lt;b&gt;&amp;$</li>' in page
    assert '<i class="series-0" style="--value: 50.0; --low: 9.' in page
