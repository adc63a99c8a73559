"""Plots as SVG: what stands in them, and that they can stand in one page."""

import functools
import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from spiqa_tasks.report import plots
from spiqa_tasks.report.plots import Plot

NAN = math.nan
SERIES_OF_TWO = {
    "run a": {"x": (0.5, 0.4, 0.6), "y": (0.7, NAN, NAN)},
    "run b": {"x": (0.2, 0.1, 0.3)},
}
PLOTS: dict[str, Callable[[], Plot]] = {
    "dots": lambda: plots.intervals("Dots", SERIES_OF_TWO, "accuracy x 100"),
    "zero": lambda: plots.intervals("Zero", SERIES_OF_TWO, "MG x 100", zero=True),
}


@functools.cache
def drawn(kind: str) -> Plot:
    """One of `PLOTS`, drawn once."""
    return PLOTS[kind]()


def texts(plot: Plot) -> list[str]:
    """All text of a plot."""
    return [
        element.text or ""
        for element in ElementTree.fromstring(plot.svg).iter()
        if element.tag.endswith("text")
    ]


@pytest.mark.parametrize("kind", PLOTS)
def test_a_plot_stands_in_the_page(kind: str) -> None:
    """One SVG element with no style sheet, metadata, font or colour of its own; the same values
    are the same text.
    """
    plot = drawn(kind)
    assert plot.title == kind.capitalize()
    assert ElementTree.fromstring(plot.svg).tag.endswith("}svg")
    assert not re.search(r"<style|<metadata|<g id=|<!DOCTYPE|\n", plot.svg)
    colours = {*re.findall(r"(?:fill|stroke|color): ?([^;\"]+)", plot.svg)}
    assert {colour for colour in colours if not re.fullmatch(r"var\(--[a-z0-9-]+\)", colour)} <= {
        "none"
    }
    assert "var(--series-0)" in colours
    assert set(re.findall(r"font-family: ([^;\"]+)|font: ", plot.svg)) <= {"var(--font)", ""}
    assert PLOTS[kind]() == plot


@pytest.mark.filterwarnings("error")
def test_letters_that_matplotlib_has_no_font_for_are_drawn_by_the_browser() -> None:
    """Without a warning for each: groups of Chinese exams are in Chinese."""
    plot = plots.intervals("Groups", {"m": {"全国甲卷": (0.5, 0.4, 0.6)}}, "accuracy x 100")
    assert "全国甲卷" in texts(plot)


def test_plots_share_no_names() -> None:
    """What one plot defines for itself is not what another one in the same page means."""
    names = [name for kind in PLOTS for name in set(re.findall(r'\bid="([^"]+)"', drawn(kind).svg))]
    assert names
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", ["dots", "zero"])
def test_rows_axis_and_runs_are_named(kind: str) -> None:
    """Several runs have a legend; one alone has none, as the page tells it."""
    shown = texts(drawn(kind))
    assert {"x", "y", "run a", "run b"} <= set(shown)
    assert any(text.endswith("x 100") for text in shown)
    alone = plots.intervals("T", {"run a": SERIES_OF_TWO["run a"]}, "accuracy", zero=kind == "zero")
    assert "run a" not in texts(alone)
    assert "run a" in alone.description


def test_the_axis_of_scores_starts_at_0() -> None:
    """Though all values are far above it."""
    high = {"run a": {"x": (0.8, 0.79, 0.81), "y": (0.82, 0.81, 0.83)}}
    assert "0" in texts(plots.intervals("T", high, "accuracy x 100"))


def test_long_names_lose_their_middle() -> None:
    """Both ends stay, 44 letters and the sign for what is left out; the description has all."""
    name = "begin" + "x" * 60 + "end"
    plot = plots.intervals("T", {"a": {name: (0.01, 0.0, 0.02)}}, "s")
    (shown,) = (text for text in texts(plot) if "…" in text)
    assert (len(shown), shown[:5], shown[-3:]) == (45, "begin", "end")
    assert name in plot.description


def test_names_are_no_markup() -> None:
    """Neither formulas nor elements."""
    name = "$\\frac{1}$ <b>&"
    assert name in texts(plots.intervals("T", {"a": {name: (0.01, 0.0, 0.02)}}, "s"))
