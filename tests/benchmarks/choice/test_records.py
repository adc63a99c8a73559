"""Records of multiple-choice answers: what counts, what does not, and which misses are told apart."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spiqa_tasks.benchmarks.choice.records import (
    ACCURACY,
    FAILURE_RATES,
    TRUNCATED_RATE,
    choice_record,
    truncation_remark,
)
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.scoring.mcq import MATCHER_VERSION

GROUPS = {"category": "math"}
REFUSAL = "Sorry, I cannot see any image. Could you provide it?"


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return load_rows("mmstar", "demo", "ablation=text")[0]


def scored(row: dict[str, Any], text: str, failure: str | None = None) -> Record:
    return choice_record(row, Response(text, failure), GROUPS, "spiqa-tasks:1")


def rates(*records: Record) -> dict[str, float]:
    return {metric.name: metric.compute(records).value for metric in (ACCURACY, *FAILURE_RATES)}


def test_a_hit_is_told_with_all_that_it_was_read_from(row: dict[str, Any]) -> None:
    """The letter, the true one, the rule, the groups and the signature; every rate is 0."""
    found = scored(row, f"The answer is {row['answer']}.")
    assert (found.prediction, found.reference, found.status) == (row["answer"], row["answer"], "ok")
    assert (found.id, found.groups, found.signature) == (row["id"], GROUPS, "spiqa-tasks:1")
    assert found.rule
    assert rates(found) == {"accuracy": 1, "refusal_rate": 0, "unparsed_rate": 0, "request_failed_rate": 0}


def test_refusal_and_no_letter_count_as_misses_and_are_told_apart(row: dict[str, Any]) -> None:
    """A refusal is in refusal_rate, an answer without a letter in unparsed_rate, both with accuracy 0."""
    refusal, vague = scored(row, REFUSAL), scored(row, "A chart shows growth")
    assert (refusal.status, refusal.refused, refusal.prediction) == ("refused", True, None)
    assert (vague.status, vague.refused, vague.prediction) == ("unparsed", False, None)
    assert rates(refusal) == {"accuracy": 0, "refusal_rate": 1, "unparsed_rate": 0, "request_failed_rate": 0}
    assert rates(vague) == {"accuracy": 0, "refusal_rate": 0, "unparsed_rate": 1, "request_failed_rate": 0}


def test_failed_request_is_no_answer(row: dict[str, Any]) -> None:
    """It has no accuracy, neither right nor wrong, keeps the reason, and is counted in a rate of its own."""
    failed = scored(row, row["answer"], failure="boom")
    assert (failed.status, failed.reason, failed.prediction, failed.scores) == ("request_failed", "boom", None, {})
    assert (failed.id, failed.reference, failed.groups) == (row["id"], row["answer"], GROUPS)
    assert failed.signature == "spiqa-tasks:1"
    value = ACCURACY.compute([failed])
    assert (value.scores, value.n, math.isnan(value.value)) == ({}, 0, True)
    assert rates(failed)["request_failed_rate"] == 1
    assert rates(failed)["unparsed_rate"] == rates(failed)["refusal_rate"] == 0


def cut(row: dict[str, Any], *truncated: bool | None) -> list[Record]:
    """Answers of which the host tells that they were cut off, or not, or nothing."""
    rows = [{**row, "id": str(place)} for place in range(len(truncated))]
    responses = [Response(row["answer"], truncated=told) for told in truncated]
    return [choice_record(*pair, GROUPS, "spiqa-tasks:1") for pair in zip(rows, responses, strict=True)]


def test_answers_at_the_limit_of_tokens_are_counted(row: dict[str, Any]) -> None:
    """The rate is over the answers whose length the host tells, which are nearly all."""
    records = cut(row, *[True] * 50, *[False] * 149, None)
    value = TRUNCATED_RATE.compute(records)
    assert (value.value, value.n) == (pytest.approx(50 / 199), 199)
    assert value.scores == {str(place): float(place < 50) for place in range(199)}
    assert [records[place].details.get("truncated") for place in (0, 50, 199)] == [True, False, None]
    assert truncation_remark(records) == [
        "truncated_rate 0.2500: 50 of 200 answers ended at the limit of generated tokens, perhaps before their letter. "
        "Raise max_new_tokens with --gen_kwargs."
    ]


def test_without_lengths_no_rate_of_truncated_answers_is_told(row: dict[str, Any]) -> None:
    """It is not a number where no length is known, and withheld where too few are; nothing is said of whole answers."""
    value = TRUNCATED_RATE.compute(cut(row, None, None))
    assert (math.isnan(value.value), value.n) == (True, 0)
    assert TRUNCATED_RATE.compute(cut(row, *[False] * 90, *[None] * 10)).reason
    assert truncation_remark(cut(row, False, None)) == []


def test_a_row_has_an_option_for_each_letter(row: dict[str, Any]) -> None:
    """A letter too many or too few is a defect of the row, never an answer."""
    for letters in (row["letters"][:-1], [*row["letters"], "Z"]):
        with pytest.raises(ValueError, match="zip"):
            scored({**row, "letters": letters}, row["answer"])


def test_the_signature_tells_wording_matcher_and_judge(row: dict[str, Any]) -> None:
    """Another wording is another signature."""
    context = Context("offline", signature={**ACCURACY.signature(), "judge": "openai:j"})
    signature = parse(context.sign(row, "Answer:"))
    assert (signature.host, signature.matcher, signature.judge) == ("offline", MATCHER_VERSION, "openai:j")
    assert parse(context.sign(row, "Answer")).prompt != signature.prompt
