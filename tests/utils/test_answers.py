"""A defect in scoring costs one answer its score, never the run, and is never hidden in a mean."""

import dataclasses
import math
from typing import Any

import pytest
from forgetting import forget_scorers

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.utils.answers import aggregate, process_results

Results = list[dict[str, Any]]
ROWS = load_rows("mmstar", "demo", "ablation=text")


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have MMStar's `record` raise on the answer `break`."""
    mmstar = BENCHMARKS["mmstar"]

    def record(row: Any, response: Response, context: Any) -> Record:
        if response.text == "break":
            raise ZeroDivisionError("oops")
        return mmstar.record(row, response, context)

    monkeypatch.setitem(BENCHMARKS, "mmstar", dataclasses.replace(mmstar, record=record))
    forget_scorers()


def results(answers: list[str]) -> Results:
    """Return the results of `process_results` for answers to as many questions."""
    return [
        process_results({**ROWS[0], "id": str(place)}, [text]) for place, text in enumerate(answers)
    ]


def value(found: Results, row: str) -> float:
    """Return the aggregated value of a row of the table."""
    return aggregate([entries[row] for entries in found if row in entries])


@pytest.mark.usefixtures("breaking")
def test_failure_is_a_record_with_its_reason_and_without_a_score() -> None:
    """Overall rows get an entry, the first with the error; none has a score, and a row counts
    the failures.
    """
    good, bad = results(["A", "break"])
    assert bad["accuracy"]["status"] == "scoring_failed"
    assert "oops" in bad["accuracy"]["reason"]
    assert "oops" in bad["scoring_failed_count"]["reason"]
    assert not any("score" in entry for entry in bad.values())
    assert "score" not in bad
    assert "scoring_failed_count" not in good


@pytest.mark.usefixtures("breaking")
def test_two_failures_in_a_hundred_withhold_the_headline() -> None:
    """One is left out of the mean, two withhold it; the count is that of the failures."""
    answer = ROWS[0]["answer"]
    assert value(results([answer] * 99 + ["break"]), "accuracy") == 1.0
    two = results([answer] * 98 + ["break"] * 2)
    assert math.isnan(value(two, "accuracy"))
    assert math.isnan(value(two, "refusal_rate"))
    assert value(two, "scoring_failed_count") == 2.0


def test_aggregation_that_raises_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host would write no results of any task; the row is withheld instead."""
    forget_scorers()
    found = results(["A", "B"])
    monkeypatch.setattr(Scorer, "value", lambda *_: 1 / 0)
    assert math.isnan(value(found, "accuracy"))
