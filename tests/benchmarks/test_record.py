"""The one record of an answer: told as JSON and read back, and what a judge adds to it."""

import dataclasses
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.record import MetricRequest, Record, Status
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

WORDS = st.text(min_size=1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
RECORDS = st.builds(
    Record,
    id=WORDS,
    prediction=st.none() | st.text(),
    reference=st.text(),
    cluster=st.none() | WORDS,
    status=st.sampled_from(get_args(Status)),
    rule=st.none() | WORDS,
    refused=st.booleans(),
    reason=st.none() | WORDS,
    scores=st.dictionaries(WORDS, NUMBERS),
    groups=st.dictionaries(WORDS, WORDS),
    verdicts=st.lists(st.dictionaries(WORDS, JSON)).map(tuple),
    details=st.dictionaries(WORDS, JSON),
    signature=st.text(),
    requests=st.just(()),
)
YES = Verdict(text="Yes", top_logprobs=(("Yes", -0.1), ("No", -2.5)), model="served")


def wanted(metric: str, question: str = "?", value: float | None = 0.75) -> MetricRequest:
    return MetricRequest(metric, JudgeRequest(question), lambda _verdict: value)


@given(RECORDS)
def test_a_record_is_read_back_from_json_as_it_was(record: Record) -> None:
    """Every field survives, whatever it holds; fields without content are not written."""
    written = record.as_dict()
    assert Record.from_dict(json.loads(json.dumps(written))) == record
    assert set(written) <= {entry.name for entry in dataclasses.fields(Record)} - {"requests"}
    assert "scores" not in written or record.scores


def test_keys_of_later_versions_are_ignored_and_a_dict_without_id_is_none_of_ours() -> None:
    """Reading takes what it knows; a number for an id becomes text."""
    assert Record.from_dict({"id": 7, "status": "ok", "mood": "good"}) == Record("7")
    with pytest.raises(KeyError):
        Record.from_dict({"status": "ok"})
    for damage in (
        {"verdicts": 3},
        {"details": None},
        {"scores": {"accuracy": []}},
        {"status": "fine"},
    ):
        with pytest.raises(TypeError, match=next(iter(damage))):
            Record.from_dict({"id": "a", **damage})


def test_a_verdict_becomes_a_score_and_is_kept() -> None:
    """The score stands under the metric, the verdict tells what it was read from, and nothing is
    left to ask.
    """
    record = Record("a", "x", scores={"other": 1.0}, requests=(wanted("l3score"),))
    judged = record.judged([YES])
    assert judged.scores == {"other": 1.0, "l3score": 0.75}
    assert judged.verdicts == (
        {
            "metric": "l3score",
            "prompt": "?",
            "score": 0.75,
            "model": "served",
            "top_logprobs": [["Yes", -0.1], ["No", -2.5]],
        },
    )
    assert (judged.status, judged.requests, judged.judge_failed) == ("ok", (), False)
    assert record.scores == {"other": 1.0}
    assert judged.judged([]) == judged


def test_log_probabilities_are_kept_to_six_digits() -> None:
    """With three, the score that is read from them again would differ in its third digit."""
    verdict = Verdict(top_logprobs=(("Yes", -0.1234564), ("No", -2.5)), model="served")
    (entry,) = Record("a", requests=(wanted("l3score"),)).judged([verdict]).verdicts
    assert entry["top_logprobs"] == [["Yes", -0.123456], ["No", -2.5]]


@pytest.mark.parametrize("text", ["", "nan", "NaN", "None", "none"])
def test_texts_that_tables_write_for_nothing_are_no_answer(text: str) -> None:
    """They are unparsed, unless somebody asked for them in the form of an answer."""
    assert Record("a", text, rule="unformatted").unparsed
    assert not Record("a", text, rule="ok").unparsed
    assert not Record("a", "nonesuch", rule="unformatted").unparsed


def test_a_written_verdict_is_kept_as_its_text() -> None:
    """A judge that writes has no log-probabilities; a verdict without a score is a failed
    judgement with a reason.
    """
    judged = Record("a", requests=(wanted("accuracy_llm", value=None),)).judged(
        [Verdict(text="B", model="m")]
    )
    reason = "the judge's answer 'B' is no verdict of its rule"
    assert judged.verdicts == (
        {"metric": "accuracy_llm", "prompt": "?", "model": "m", "text": "B", "reason": reason},
    )
    assert (judged.status, judged.reason) == ("judge_failed", reason)
    assert judged.scores == {}
    assert judged.judge_failed


@pytest.mark.parametrize(("before", "after"), [("ok", "judge_failed"), ("unparsed", "unparsed")])
def test_a_failed_verdict_is_a_status_and_no_number(before: Any, after: str) -> None:
    """The reason is kept; the status changes only where nothing else was wrong."""
    judged = Record("a", status=before, requests=(wanted("l3score"),)).judged([failed("HTTP 400")])
    assert (judged.status, judged.reason, judged.judge_failed) == (after, "HTTP 400", True)
    assert judged.scores == {}
    assert judged.verdicts == ({"metric": "l3score", "prompt": "?", "reason": "HTTP 400"},)


def test_several_requests_keep_their_metrics_apart() -> None:
    """One request for a metric is its score; several leave theirs in the verdicts, in order, a
    failed one among them.
    """
    requests = (
        wanted("l3score", value=0.5),
        wanted("released", "1", 0.25),
        wanted("released", "2", 1.0),
    )
    judged = Record("a", requests=requests).judged([YES, YES, failed("timeout")])
    assert judged.scores == {"l3score": 0.5}
    assert [entry.get("score") for entry in judged.verdicts] == [0.5, 0.25, None]
    assert (judged.status, judged.reason) == ("judge_failed", "timeout")
