"""What the host logs of a record."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from host_files import FAILED

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval.logged_record import LoggedRecord, logged_values, record_of

TASK = ("mmstar", "prompt=letter")


def logged(answer: str) -> tuple[Record, dict[str, LoggedRecord]]:
    """A record of MMStar's first question and what is logged of it."""
    scorer = make_scorer(*TASK, "lmms-eval 0.7.3", None)
    record = scorer.record(rows_for_scoring("mmstar", "demo", "")[0], response_of(answer))
    return record, logged_values(record, scorer, TASK)


def test_the_headline_has_the_whole_record_and_the_others_id_and_score() -> None:
    """Prediction, reference and signature are stored once; the score is where --baseline looks for it."""
    record, found = logged("A")
    assert list(found) == [
        "accuracy",
        "accuracy/coarse_perception",
        "accuracy_released",
        "refusal_rate",
        "unparsed_rate",
        "request_failed_rate",
        "score",
    ]
    assert Record.from_dict(json.loads(json.dumps(found["accuracy"]))) == record
    assert found["accuracy"]["score"] == found["score"] == 1.0
    assert found["refusal_rate"] == {"id": record.id, "score": 0.0}


def test_a_failed_request_has_no_score() -> None:
    """Neither at the top nor under the metrics that speak of answers; its own rate counts it."""
    _, found = logged(FAILED)
    assert "score" not in found
    assert "score" not in found["accuracy"]
    assert found["request_failed_rate"]["score"] == 1.0


def test_an_answer_that_scoring_fails_on_is_counted() -> None:
    """The count is there only where something failed, with the reason."""
    scorer = make_scorer(*TASK, "lmms-eval 0.7.3", None)
    row = {**rows_for_scoring("mmstar", "demo", "")[0], "letters": None}
    found = logged_values(scorer.record(row, Response("A")), scorer, TASK)
    assert "TypeError" in found["scoring_failed_count"]["reason"]
    assert "scoring_failed_count" not in logged("A")[1]


@pytest.mark.parametrize("through", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_value_keeps_its_record_between_processes(through: object) -> None:
    """The host gathers values by pickling; the aggregation needs the record."""
    record, found = logged("A")
    again = through(found["refusal_rate"])  # type: ignore[operator]
    assert (again, again.record, again.metric, again.task) == (found["refusal_rate"], record, "refusal_rate", TASK)


def test_the_record_is_found_in_a_sample_of_ours() -> None:
    """By its id and status; other dictionaries, and samples of other tasks, have none."""
    record, found = logged("A")
    sample = {"doc_id": 3, "target": "A", "status": "x", "id": "y", **found}
    assert record_of(sample) == record
    for other in ({}, {"a": {"id": "1"}}, {"a": {"status": "ok"}}, {"a": "id status"}, {"id": "1", "status": "ok"}):
        assert record_of(other) is None
    second = {"again": {**dict(found["accuracy"]), "id": "2"}}
    assert record_of({**sample, **second}) == record
