"""Counts of a release beside the printed ones."""

from __future__ import annotations

import math

import pytest

from spiqa_tasks.benchmarks.description import Count, by_name, distributed, mean_of, printed, withheld
from spiqa_tasks.published import load


def test_the_difference_is_counted_minus_printed() -> None:
    """It is NaN where there is not both."""
    assert Count("val", "Figure 4", "questions", 1500, 1400).difference == 100
    assert math.isnan(Count("val", "Figure 4", "questions", 1500).difference)
    assert math.isnan(Count("val", "Figure 4", "questions", published=1400).difference)


def test_printed_numbers_are_those_of_the_rows_asked_for() -> None:
    """Statistic -> number, of every row or of those of one subset."""
    rows = [row for row in load("scifibench", "table1") if row["subset"] == "CS"]
    assert rows
    assert printed("scifibench", "table1", subset="CS") == {row["statistic"]: row["value"] for row in rows}
    assert len(printed("mmstar", "figure5")) == len(load("mmstar", "figure5"))


def test_a_number_that_is_not_printed_is_nan() -> None:
    """An empty cell of a table is no 0."""
    empty = [row["statistic"] for row in load("spiqa", "table4") if row["value"] is None and row["split"] == "test-C"]
    found = printed("spiqa", "table4", split="test-C")
    assert [name for name, value in found.items() if math.isnan(value)] == empty


@pytest.mark.parametrize("missing", [True, False])
def test_what_cannot_be_counted_keeps_its_printed_number(missing: bool) -> None:
    """Each statistic has a row with the reason."""
    rows = list(withheld("val", "Figure 4", {"a": 1.0, "b": 2.0}, "no such file", missing))
    assert [(row.split, row.place, row.statistic, row.published) for row in rows] == [
        ("val", "Figure 4", "a", 1.0),
        ("val", "Figure 4", "b", 2.0),
    ]
    assert {(math.isnan(row.value), row.why_not, row.is_missing, row.distribution) for row in rows} == {
        (True, "no such file", missing, ())
    }


def test_a_distribution_has_its_mean() -> None:
    """Values in order, each with how often it occurs."""
    row = distributed(Count("val", "Figure 2", "words"), {4: 1, 1: 3})
    assert (row.value, row.distribution, row.statistic) == (7 / 4, ((1, 3), (4, 1)), "words")
    assert mean_of({2: 3, 3: 1}, lambda value: value**2) == (3 * 4 + 9) / 4
    assert math.isnan(mean_of({}))


def test_names_are_counted_in_alphabetical_order() -> None:
    """As `prefix/name`."""
    rows = by_name("val", "Figure 4", "source", ["b", "a", "b"])
    assert list(map(repr, rows)) == [
        repr(Count("val", "Figure 4", "source/a", 1)),
        repr(Count("val", "Figure 4", "source/b", 2)),
    ]
