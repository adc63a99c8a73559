"""Metrics are functions of records: means, shares, and when they are withheld."""

from __future__ import annotations

import copy
import math

import pytest

from spiqa_tasks.benchmarks.aggregation import (
    SCORING_FAILED,
    Value,
    in_group,
    mean_of,
    share_of,
    withheld,
)
from spiqa_tasks.benchmarks.record import Record


def records(count: int, **fields: object) -> list[Record]:
    return [Record(f"{next(iter(fields))}{number}", **fields) for number in range(count)]  # type: ignore[arg-type]


def test_a_mean_is_over_the_records_that_have_the_score() -> None:
    """Value, number and scores are those of the metric's own name; others do not enter."""
    found = [
        Record("a", scores={"accuracy": 1.0, "other": 0.0}),
        Record("b", scores={"accuracy": 0.5}),
        Record("c", scores={"accuracy": 0.0}),
    ]
    before = copy.deepcopy(found)
    value = mean_of("accuracy").compute(found)
    assert value == Value(0.5, 3, {"a": 1.0, "b": 0.5, "c": 0.0})
    assert found == before


def test_a_mean_tells_its_name_and_needs() -> None:
    """More is better; a judge is needed where it is named."""
    plain, judged = mean_of("accuracy"), mean_of("l3score", "judge")
    assert (plain.name, plain.needs, plain.higher_is_better) == ("accuracy", "nothing", True)
    assert (judged.name, judged.needs, judged.of_corpus, judged.of_documents) == ("l3score", "judge", False, False)


@pytest.mark.parametrize(("missing", "there"), [(1, True), (2, False)])
def test_a_mean_over_fewer_than_99_percent_is_withheld(missing: int, there: bool) -> None:
    """One of a hundred answers may be without a score; with two the value is NaN and says how many there are."""
    found = mean_of("x").compute([*records(100 - missing, scores={"x": 0.5}), *records(missing, reason="lost")])
    assert found.n == 100 - missing
    if there:
        assert (found.value, found.reason) == (0.5, None)
        assert len(found.scores) == 99
    else:
        assert math.isnan(found.value)
        assert found.reason == "98 of 100 answers have a score, fewer than 99%"
        assert found.scores == {}


def test_nothing_scored_is_withheld() -> None:
    """No score at all has no mean, neither of some answers nor of none."""
    for total in (0, 3):
        value = withheld(0, total)
        assert value is not None
        assert math.isnan(value.value)
        assert value.n == 0
    assert withheld(99, 100) is None
    assert withheld(1, 1) is None


def test_a_share_counts_the_records_that_hold() -> None:
    """Less is better; a record whose scoring failed says nothing and is no part of it."""
    refusals = share_of("refusal_rate", lambda record: record.refused, "judge")
    assert (refusals.name, refusals.needs, refusals.higher_is_better) == ("refusal_rate", "judge", False)
    assert share_of("refusal_rate", lambda record: record.refused).needs == "nothing"
    found = [*records(198, refused=False), Record("sorry", refused=True), *records(1, status="scoring_failed")]
    value = refusals.compute(found)
    assert value.value == pytest.approx(1 / 199)
    assert value.n == 199
    assert value.scores["sorry"] == 1.0
    assert value.scores["refused0"] == 0.0
    assert "status0" not in value.scores


def test_failures_of_scoring_are_counted() -> None:
    """The number of records with a defect, of all of them; less is better."""
    found = [*records(3, status="scoring_failed"), *records(2, status="ok"), *records(1, status="request_failed")]
    assert SCORING_FAILED.compute(found) == Value(3.0, 6)
    assert (SCORING_FAILED.name, SCORING_FAILED.higher_is_better) == ("scoring_failed_count", False)


def test_a_group_holds_the_records_that_name_it() -> None:
    """The group's name is looked for among all kinds of groups."""
    table, plot = Record("a", groups={"type": "table", "figures": "figures_1"}), Record("b", groups={"type": "plot"})
    assert in_group([table, plot], "table") == [table]
    assert in_group([table, plot], "figures_1") == [table]
    assert in_group([table, plot], "type") == []
