"""A defect in scoring costs one answer its score, never the run, and is never hidden in a mean."""

from __future__ import annotations

import math
from typing import Any

from spiqa_tasks.benchmarks.spiqa.records import corpus_score
from spiqa_tasks.utils.guard import failures, keeps_answers, withholds
from spiqa_tasks.utils.spiqa_perfigure import l3score


@keeps_answers("accuracy", "rouge_l")
def scored(doc: Any, results: Any) -> dict[str, dict[str, Any]]:
    assert len(results) == 1
    if doc["id"].startswith("bad"):
        raise ZeroDivisionError("oops")
    return {"accuracy": {"id": doc["id"], "score": 1.0}}


def test_failure_is_a_record_with_its_reason_and_without_a_score() -> None:
    """Each headline metric and the count get a record that names the error."""
    records = scored({"id": "bad"}, ["A"])
    assert set(records) == {"accuracy", "rouge_l", "scoring_failed_count"}
    assert all(record["status"] == "scoring_failed" and "oops" in record["reason"] for record in records.values())
    assert not any("score" in record for record in records.values())
    assert "scoring_failed_count" not in scored({"id": "good"}, ["A"])


def test_two_failures_in_a_hundred_withhold_the_headline() -> None:
    """One is left out of the mean, two withhold it; the count is that of the failures."""
    from spiqa_tasks.utils.choice import mean

    good = [scored({"id": str(index)}, ["A"])["accuracy"] for index in range(99)]
    bad = [scored({"id": f"bad{index}"}, ["A"]) for index in range(2)]
    assert mean([*good, bad[0]["accuracy"]]) == 1.0
    assert math.isnan(mean([*good[:98], *(records["accuracy"] for records in bad)]))
    assert failures([records["scoring_failed_count"] for records in bad]) == 2.0


def test_aggregations_that_join_or_compare_withhold_too() -> None:
    """Corpus metrics and the joined figures of a question take such records for missing answers, without raising."""
    failed = scored({"id": "bad"}, [""])["rouge_l"]
    assert math.isnan(withholds(corpus_score)([failed]))
    assert math.isnan(l3score([dict(failed)]))
