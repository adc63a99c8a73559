"""Numbers and tables as texts."""

from __future__ import annotations

import dataclasses
import math

import pytest

from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.report.tables import Table, as_text, comparison_table, number, p_value, plain
from spiqa_tasks.scoring.clustered import PairedDifference

TABLE = Table("Scores", ["run", "n"], [["a", "1"]], ["A note. " * 30], published=[["b|c", "20"]])
FOUND = Comparison(
    *("t", "accuracy", "a", "b", 0.5, 0.75),
    PairedDifference(24, 0.25, 0.1, 0.05, 0.45, 0.0167, 0.28),
    *(0.0334, ["1", "2"], ["3"], []),
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((0.5,), "50.0"),
        ((0.5, 0.25, 0.75), "50.0 [25.0, 75.0]"),
        ((0.5, math.nan, 0.75), "50.0"),
        ((0.5, 0.25, math.nan), "50.0"),
        ((-0.0625, -0.1, 0.0), "-6.2 [-10.0, 0.0]"),
        ((None,), "-"),
        ((math.nan, 0.1, 0.2), "-"),
    ],
)
def test_a_number_is_shown_times_100_with_its_interval(given: tuple[float, ...], shown: str) -> None:
    """A dash where it is withheld, and no interval where one end is not known."""
    assert number(*given) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.001, "0.001"), (0.0167, "0.017"), (1.0, "1.000"), (math.nan, "-")],
)
def test_a_p_value_has_three_decimals(p: float, shown: str) -> None:
    """The smallest are told as such, and never as 0."""
    assert p_value(p) == shown


def test_a_comparison_is_a_line() -> None:
    """Run b stands first, as the difference is it minus run a; what is not known is a dash."""
    unknown = dataclasses.replace(
        FOUND,
        difference=PairedDifference(1, 0.25, *[math.nan] * 5),
        p_corrected=math.nan,
        warnings=["differ in prompt", "few questions"],
    )
    table = comparison_table([FOUND, unknown])
    known, other = (dict(zip(table.columns, line, strict=True)) for line in table.rows)
    assert known == {
        **{"task": "t", "metric": "accuracy", "run": "b", "against": "a", "n": "24"},
        **{"run x 100": "75.0", "against x 100": "50.0", "difference": "25.0 [5.0, 45.0]"},
        **{"p": "0.017", "p corrected": "0.033", "won": "2", "lost": "1", "smallest": "28.0"},
    }
    assert [other[name] for name in ("difference", "p", "p corrected", "smallest")] == ["25.0", "-", "-", "-"]
    assert table.title == "Paired differences"
    assert table.notes[0] == (
        "The difference is the run minus the one it stands against, on the questions that both answered; 95% intervals "
        "of the paired t-test, clustered by paper in SPIQA. Corrected p-values are Holm's, for all lines together. "
        "Smallest: the smallest true difference that so many questions show with 80% probability."
    )
    assert table.notes[1:] == ["t, b against a: differ in prompt; few questions."]
    assert list(table.columns)[: table.texts] == ["task", "metric", "run", "against"]


def test_a_terminal_gets_whole_lines() -> None:
    """The cells as they are, and notes of at most 100 columns."""
    lines = as_text(TABLE).splitlines()
    assert [line.split() for line in lines[:4:3]] == [["run", "n"], ["b|c", "20"]]
    assert len(lines) > 6
    assert max(map(len, lines)) <= 100
    assert " ".join(lines[5:]) == TABLE.notes[0].strip()
    rows = [line.split() for line in as_text(TABLE, "md").splitlines()[:4]]
    assert rows == [["|", "run", "|", "n", "|"], rows[1], ["|", "a", "|", "1", "|"], ["|", "b|c", "|", "20", "|"]]


@pytest.mark.parametrize(("value", "shown"), [(0.12345, "0.123"), (0, "0.000"), (None, "-"), (math.nan, "-")])
def test_a_plain_number_has_three_decimals(value: float | None, shown: str) -> None:
    """A dash where there is none."""
    assert plain(value) == shown
