"""SPIQA's metrics of records."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from spiqa_tasks.benchmarks.metric import Metric, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.spiqa.metrics import RETRIEVAL, metrics
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.coco_toolkit import rouge_l

RATES = [
    "unformatted_rate",
    "truncated_rate",
    "judge_failed_rate",
    "yes_no_mass",
    "request_failed_rate",
]
PERFIGURE_RATES = [
    *("unformatted_rate", "incomplete_rate", "unhelpful_rate", "judge_failed_rate"),
    *("yes_no_mass", "request_failed_rate"),
]
PERFIGURE = "setting=perfigure"
TEXTS = list(METRICS)


def released(names: Sequence[str]) -> list[str]:
    return [f"{name}_released" for name in names]


def metric(name: str, settings: str = "") -> Metric:
    spiqa = BENCHMARKS["spiqa"]
    return spiqa.rows_of_table(spiqa.parse(settings))[name][0]


def value(name: str, records: list[Record], settings: str = "") -> Value:
    return metric(name, settings).compute(records)


def record(number: int, prediction: str | None = "a cat", **fields: Any) -> Record:
    return Record(str(number), prediction, "a cat sat", **fields)


def test_rates_tell_apart_what_went_wrong() -> None:
    """Unformatted and empty answers, truncated ones, failed requests and failed judgements each
    have a share.
    """
    records = [
        record(0, rule="ok"),
        record(1, rule="unformatted"),
        record(2, "", rule="empty"),
        record(3, rule="truncated"),
        record(4, None, status="request_failed"),
        record(
            5, rule="ok", status="judge_failed", verdicts=({"metric": "l3score", "reason": "x"},)
        ),
        record(6, rule="ok", verdicts=({"metric": "l3score", "score": 0.0},)),
        record(7, rule="ok"),
    ]
    expected = {
        "unformatted_rate": 2 / 8,
        "truncated_rate": 1 / 8,
        "request_failed_rate": 1 / 8,
        "judge_failed_rate": 1 / 8,
    }
    assert {name: value(name, records).value for name in expected} == expected
    assert not any(metric(name).higher_is_better for name in expected)


def test_l3score_is_the_mean_of_the_answers_that_were_judged() -> None:
    """An answer that was not judged has no score, and is none of 0."""
    judged = [record(number, scores={"l3score": 0.5 + number % 2 / 10}) for number in range(200)]
    found = value("l3score", [*judged, record(200)])
    assert (found.value, found.n) == (pytest.approx(0.55), 200)
    assert math.isnan(value("l3score", [*judged[:2], record(2)]).value)


def test_a_question_with_unanswered_documents_has_no_l3score() -> None:
    """Its answer is put together from the others, and might be another one with them."""
    judged = record(0, scores={"l3score": 0.5})
    part = record(1, status="incomplete", scores={"l3score": 1.0})
    assert value("l3score", [judged, part], PERFIGURE).value == 0.5
    assert value("incomplete_rate", [judged, part], PERFIGURE).value == 0.5


def test_failures_of_single_figures_are_shares_of_documents() -> None:
    """The other rates of that setting are shares of questions."""
    found = metrics(BENCHMARKS["spiqa"].parse(PERFIGURE))
    assert {entry.name for entry in found if entry.of_documents} == {
        "unformatted_rate",
        "request_failed_rate",
    }


def test_the_released_reading_is_scored_beside_the_corrected_one() -> None:
    """A failed request has neither."""
    records = [
        record(0, "a cat sat", details={"released": {"prediction": "a dog"}}),
        record(1, None, status="request_failed"),
    ]
    assert value("rouge_l", records[:1], "protocol=both").value == 1.0
    found = value("rouge_l_released", records[:1], "protocol=both")
    assert found.value == pytest.approx(rouge_l(["a dog"], ["a cat sat"]).value)
    assert value("rouge_l_released", records[1:], "protocol=both").n == 0


def test_released_questions_that_were_judged_in_part_are_withheld() -> None:
    """The released mean of single figures needs 99% of the answers judged, and of the questions
    answered.
    """
    settings = "setting=perfigure,protocol=both"
    good = {"metric": "l3score_released", "score": 1.0}
    failed = {"metric": "l3score_released", "reason": "x"}
    judged = record(0, verdicts=(good, good))
    assert value("l3score_released", [judged], settings).value == pytest.approx(2 / 3)
    half = value("l3score_released", [record(0, verdicts=(good, failed))], settings)
    assert math.isnan(half.value)
    assert half.reason == "1 of 2 answers were judged"
    missing = value("l3score_released", [judged, record(1, None)], settings)
    assert math.isnan(missing.value)
    assert "1 of 2 answers have a score" in (missing.reason or "")


def test_released_questions_without_a_helpful_figure_score_zero() -> None:
    """Nothing is judged then, which is no reason to withhold the script's number."""
    settings = "setting=perfigure,protocol=both"
    assert value("l3score_released", [record(0), record(1)], settings).value == 0.0


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ("setting=direct", ["l3score", *TEXTS, *RATES]),
        ("setting=cot", ["l3score", "retrieval_accuracy", *TEXTS, *RATES]),
        ("protocol=both", ["l3score", *TEXTS, *released(["l3score", *TEXTS]), *RATES]),
        ("setting=perfigure", ["l3score", *TEXTS, *PERFIGURE_RATES]),
        (
            "setting=perfigure,protocol=both",
            ["l3score", *TEXTS, *released(["l3score", *TEXTS]), *PERFIGURE_RATES],
        ),
    ],
)
def test_each_setting_has_its_metrics_in_order(settings: str, names: list[str]) -> None:
    """The headline comes first, then the setting's own metrics, the texts, the released reading,
    what went wrong.
    """
    assert [entry.name for entry in metrics(BENCHMARKS["spiqa"].parse(settings))] == names


def joined(number: int, prediction: str | None = "x", **fields: Any) -> Record:
    """A question put together from its documents."""
    return Record(f"paper/{number}", prediction, "x", **fields)


def test_released_texts_take_every_helpful_answer() -> None:
    """Each helpful figure is an answer of its own, a question without one has one empty answer,
    a failed one none.
    """
    records = [
        joined(0, details={"released_answers": ["x", "y z"]}),
        joined(1, "", details={"released_answers": []}, status="no_helpful_figure"),
    ]
    found = value("rouge_l_released", records, "setting=perfigure,protocol=both")
    assert found == Value(pytest.approx(rouge_l(["x", "y z", ""], ["x"] * 3).value), 2)


def chain(
    number: int, score: float | None = 1.0, prediction: str | None = "x", **details: Any
) -> Record:
    """An answer whose figures are known, unless `figures` says otherwise."""
    known = {"figures": ["a.png"], "image": 0, **details}
    return Record(
        str(number), prediction, scores={} if score is None else {RETRIEVAL: score}, details=known
    )


def test_it_is_withheld_where_the_order_is_not_known_for_more_than_a_hundredth() -> None:
    """One of a hundred may be unknown; failed requests are no matter of the order."""
    unknown = chain(100, None, figures=[])
    few = value(RETRIEVAL, [chain(number) for number in range(99)] + [unknown], "setting=cot")
    assert (few.value, few.n) == (1.0, 99)
    found = value(RETRIEVAL, [chain(0), unknown], "setting=cot")
    assert (math.isnan(found.value), found.n) == (True, 1)
    assert (found.reason or "").startswith(
        "the order of the figures that the model saw is not known for 1 of 2 answers"
    )
    failed = value(RETRIEVAL, [chain(0), chain(1, None, None, figures=[])], "setting=cot")
    assert failed.reason == "1 of 2 answers have a score, fewer than 99%"


def test_where_no_answer_tells_whether_it_was_cut_there_is_no_rate() -> None:
    """Plain answers and answers without the format do not; a format that is complete does."""
    untold = [record(0, rule="unformatted"), record(1, rule="empty")]
    assert math.isnan(value("truncated_rate", untold).value)
    assert value("truncated_rate", [*untold, record(2, rule="ok")]).value == 0
    told = record(3, rule="unformatted", details={"truncated": True})
    assert value("truncated_rate", [*untold, told]).value == pytest.approx(1 / 3)
