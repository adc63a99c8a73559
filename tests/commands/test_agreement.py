"""Agreement of a judge's scores with labels."""

import math

import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from spiqa_tasks.commands import calibrate
from spiqa_tasks.commands.calibrate import agreement
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.labels import Labelled


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take fewer resamples: scikit-learn needs a millisecond for each."""
    monkeypatch.setattr(calibrate, "RESAMPLES", 50)


def answers(labels: list[bool], per_question: int = 1) -> list[Labelled]:
    """Return answers with these labels, the same number for each question."""
    return [
        Labelled(Candidate("p", f"question {place // per_question}", "r"), label)
        for place, label in enumerate(labels)
    ]


LABELS = [place % 3 == 0 for place in range(60)]
SCORES = [(0.9 if label else 0.2) if place % 5 else 0.6 for place, label in enumerate(LABELS)]


def test_values_are_those_of_scikit_learn() -> None:
    """A score above a half says yes."""
    found = agreement(answers(LABELS), SCORES)
    verdicts = [score > 0.5 for score in SCORES]
    equal = sum(a == b for a, b in zip(LABELS, verdicts, strict=True)) / 60
    assert found["agreement"].value == pytest.approx(equal)
    assert found["kappa"].value == pytest.approx(cohen_kappa_score(LABELS, verdicts))
    assert found["auroc"].value == pytest.approx(roc_auc_score(LABELS, SCORES))


def test_intervals_contain_the_value() -> None:
    """Each of the three has one."""
    found = agreement(answers(LABELS), SCORES)
    for estimate in found.values():
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high


def test_answers_to_one_question_are_one_cluster() -> None:
    """Six equal answers to each question say less than sixty different questions."""
    labels = [label for label in LABELS[::6] + LABELS[1::6] for _ in range(6)]
    scores = [score for score in SCORES[::6] + SCORES[1::6] for _ in range(6)]
    shared = agreement(answers(labels, 6), scores)["kappa"]
    single = agreement(answers(labels), scores)["kappa"]
    assert shared.value == single.value
    assert None not in (shared.low, shared.high, single.low, single.high)
    assert (shared.high or 0) - (shared.low or 0) > (single.high or 0) - (single.low or 0)


def test_a_judge_that_is_always_right_has_no_interval_of_kappa() -> None:
    """Every resample has the same value, which says nothing about other answers."""
    found = agreement(answers(LABELS), [float(label) for label in LABELS])
    assert (found["kappa"].value, found["auroc"].value) == (1, 1)
    assert found["kappa"].low is None
    assert found["auroc"].high is None
    assert found["agreement"].low is not None


def test_equal_labels_have_neither_kappa_nor_auroc() -> None:
    """Both are undefined there."""
    found = agreement(answers([True] * 10), [0.9] * 10)
    assert math.isnan(found["kappa"].value)
    assert math.isnan(found["auroc"].value)
    assert found["agreement"].value == 1
