"""The metrics that open answers have in several benchmarks."""

import math
from typing import Any

import pytest

from spiqa_tasks.benchmarks.metric import Value
from spiqa_tasks.benchmarks.open_metrics import (
    YES_NO_MASS,
    judge_advice,
    judged_by,
    metric_of,
    text_metric,
)
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import NEITHER_REMEDY
from spiqa_tasks.scoring.coco_toolkit import rouge_l

CUT = Record("cut", status="incomplete")


def answer(number: int, text: str | None = "a cat", **fields: Any) -> Record:
    """An answer to the reference `a cat sat`."""
    return Record(str(number), text, "a cat sat", **fields)


def judged(number: int, *tokens: list[list[Any]], metric: str = "l3score") -> Record:
    """Return an answer with a verdict for each list of log-probabilities."""
    verdicts = tuple({"metric": metric, "score": 0.0, "top_logprobs": each} for each in tokens)
    return answer(number, verdicts=verdicts)


@pytest.mark.parametrize(
    ("rule", "metric"), [("l3score", "l3score"), ("sampled:5", "l3score_sampled")]
)
def test_a_rule_gives_a_metric_whatever_its_argument(rule: str, metric: str) -> None:
    """A rule of other answers is refused by name."""
    assert metric_of(rule) == metric
    with pytest.raises(InputError, match=r"one of l3score, sampled; found 'letters'"):
        metric_of("letters")


def test_a_question_of_two_predictions_has_no_score_of_its_own() -> None:
    """Both count in the value of the corpus; CIDEr alone depends on the other answers."""
    metric = text_metric(
        "rouge_l", lambda record: ("a cat", "a dog") if record.id == "0" else ("a cat sat",)
    )
    found = metric.compute([answer(0), answer(1)])
    assert (found.scores, found.n) == ({}, 2)
    assert found.value == pytest.approx(
        rouge_l(["a cat", "a dog", "a cat sat"], ["a cat sat"] * 3).value
    )
    assert [text_metric(name).of_corpus for name in ("cider", "rouge_l")] == [True, False]


def test_questions_that_are_there_in_whole_have_a_score_each() -> None:
    """Those that a limit cut are no part of it."""
    metric = text_metric("rouge_l")
    records = [answer(0, "a cat"), CUT, answer(1, "a dog")]
    expected = rouge_l(["a cat", "a dog"], ["a cat sat"] * 2)
    found = metric.compute(records)
    scores = {"0": pytest.approx(0.76, abs=0.1), "1": found.scores["1"]}
    assert found == Value(pytest.approx(expected.value), 2, scores, missing=1)
    assert list(found.scores.values()) == pytest.approx(list(expected.per_item))
    assert metric.pairs is not None
    assert metric.pairs(records) == [("a cat", "a cat sat"), ("a dog", "a cat sat")]


@pytest.mark.usefixtures("no_java")
def test_a_program_that_is_not_there_withholds_the_value() -> None:
    """The reason is the program's, n the answers."""
    found = text_metric("meteor").compute([answer(0), answer(1)])
    assert (math.isnan(found.value), found.n, found.scores) == (True, 2, {})
    assert "Java" in str(found.reason)


def test_the_mass_is_that_of_the_judgements_with_log_probabilities() -> None:
    """The mean over L3Score's in both readings; other metrics' and failed ones do not count."""
    yes, other = [["Yes", math.log(0.9)]], [["Hm", -0.5], [" no", math.log(0.3)]]
    records = [
        judged(0, yes, other),
        judged(1, other, metric="l3score_released"),
        judged(2, other, metric="another"),
        answer(3, verdicts=({"metric": "l3score", "reason": "HTTP 500"},)),
    ]
    assert YES_NO_MASS.compute(records) == Value(pytest.approx((0.9 + 2 * 0.3) / 3), 3)
    assert math.isnan(YES_NO_MASS.compute([answer(0)]).value)
    assert (YES_NO_MASS.name, YES_NO_MASS.needs) == ("yes_no_mass", "judge")


def test_a_mean_of_noise_is_withheld() -> None:
    """Under a half of the probability on yes and no; of a rule without log-probabilities nothing
    is.
    """
    metric = judged_by("l3score", lambda records: Value(0.7, len(records)))
    sure = [judged(number, [["yes", math.log(0.51)]]) for number in range(4)]
    unsure = [judged(number, [["yes", math.log(0.49)]]) for number in range(4)]
    assert metric.compute(sure) == Value(0.7, 4)
    assert metric.compute([answer(0)]) == Value(0.7, 1)
    found = metric.compute(unsure)
    assert math.isnan(found.value)
    assert found.reason == "yes and no have 49.0% of the probability of the judge's first word"


@pytest.mark.parametrize(("neither", "is_said"), [(1, False), (2, True)])
def test_below_ninety_five_in_a_hundred_a_line_says_what_to_do(neither: int, is_said: bool) -> None:
    """Of twenty judgements."""
    records = [judged(number, [["Hm" if number < neither else "no", 0.0]]) for number in range(20)]
    said = [
        "Yes and no together have 90% of the probability of the judge's first word, the mean over"
        f" 20 judgements: {NEITHER_REMEDY}."
    ]
    assert judge_advice(records) == (said if is_said else [])
    assert judge_advice([answer(0)]) == []
