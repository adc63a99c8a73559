"""Options, rows, records and metrics of multiple-choice questions."""

import math
from typing import Any

import pytest

from spiqa_tasks.benchmarks.choice import ACCURACY, check_answer, choice_record, slug
from spiqa_tasks.benchmarks.metric import FAILURE_RATES, TRUNCATED_RATE
from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.errors import DataError


def test_the_answer_is_one_of_the_options() -> None:
    """Anything else is an error that names the question and the options."""
    assert check_answer("7", "B", ["A", "B"]) == "B"
    for wrong in ("C", "", None, "AB"):
        with pytest.raises(DataError, match="question 7 to be one of its options A, B"):
            check_answer("7", wrong, ["A", "B"])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("science & technology", "science_technology"),
        ("fine-grained perception", "fine-grained_perception"),
        ("cs.CV", "cs.CV"),
        ("_math. ", "math"),
    ],
)
def test_a_category_becomes_a_part_of_a_metrics_name(name: str, part: str) -> None:
    """Words, dots and hyphens stay, everything else is one underscore."""
    assert slug(name) == part


GROUPS = {"category": "math"}
REFUSAL = "Sorry, I cannot see any image. Could you provide it?"


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return load_rows("mmstar", "demo", "ablation=text")[0]


def scored(row: dict[str, Any], text: str) -> Record:
    return choice_record(row, Response(text), GROUPS)


def rates(*records: Record) -> dict[str, float]:
    return {metric.name: metric.compute(records).value for metric in (ACCURACY, *FAILURE_RATES)}


def test_a_hit_is_told_with_all_that_it_was_read_from(row: dict[str, Any]) -> None:
    """The letter, the true one, the rule and the groups; every rate is 0."""
    found = scored(row, f"The answer is {row['answer']}.")
    assert (found.prediction, found.reference, found.status) == (row["answer"], row["answer"], "ok")
    assert (found.id, found.groups) == (row["id"], GROUPS)
    assert found.rule
    assert rates(found) == {
        "accuracy": 1,
        "refusal_rate": 0,
        "unparsed_rate": 0,
        "request_failed_rate": 0,
    }


def test_refusal_and_no_letter_count_as_misses_and_are_told_apart(row: dict[str, Any]) -> None:
    """A refusal is in refusal_rate, an answer without a letter in unparsed_rate, both with
    accuracy 0.
    """
    refusal, vague = scored(row, REFUSAL), scored(row, "A chart shows growth")
    assert (refusal.status, refusal.refused, refusal.prediction) == ("refused", True, None)
    assert (vague.status, vague.refused, vague.prediction) == ("unparsed", False, None)
    assert rates(refusal) == {
        "accuracy": 0,
        "refusal_rate": 1,
        "unparsed_rate": 0,
        "request_failed_rate": 0,
    }
    assert rates(vague) == {
        "accuracy": 0,
        "refusal_rate": 0,
        "unparsed_rate": 1,
        "request_failed_rate": 0,
    }


def test_failed_request_is_no_answer(row: dict[str, Any]) -> None:
    """It has no accuracy, neither right nor wrong, keeps the reason, and is counted in a rate of
    its own.
    """
    failed = scored(row, row["answer"]).failed("boom")
    assert (failed.status, failed.reason, failed.prediction, failed.scores) == (
        "request_failed",
        "boom",
        None,
        {},
    )
    assert (failed.id, failed.reference, failed.groups) == (row["id"], row["answer"], GROUPS)
    value = ACCURACY.compute([failed])
    assert (value.scores, value.n, math.isnan(value.value)) == ({}, 0, True)
    assert rates(failed)["request_failed_rate"] == 1
    assert rates(failed)["unparsed_rate"] == rates(failed)["refusal_rate"] == 0


def cut(row: dict[str, Any], *truncated: bool | None) -> list[Record]:
    """Return answers that the host reports as truncated, as complete, or says nothing of."""
    rows = [{**row, "id": str(place)} for place in range(len(truncated))]
    scorer = make_scorer(MMSTAR, "ablation=text", "test", None)
    answers = [Response(row["answer"], truncated=told) for told in truncated]
    return [scorer.record(*pair) for pair in zip(rows, answers, strict=True)]


def test_answers_at_the_limit_of_tokens_are_counted(row: dict[str, Any]) -> None:
    """An answer of which the host tells nothing is not known to be cut off."""
    records = cut(row, *[True] * 50, *[False] * 149, None)
    value = TRUNCATED_RATE.compute(records)
    assert (value.value, value.n) == (0.25, 200)
    assert value.scores == {str(place): float(place < 50) for place in range(200)}
    assert [records[place].details.get("truncated") for place in (0, 50, 199)] == [
        True,
        False,
        None,
    ]
