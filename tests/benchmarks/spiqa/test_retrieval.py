"""Whether the image that a chain of thought names is one that the answer needs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.spiqa.retrieval import RETRIEVAL, order_advice, retrieval_metric, retrieval_score


@pytest.fixture
def metric() -> Metric:
    """The mean of the scores."""
    return retrieval_metric(RETRIEVAL)


def answer(number: int, score: float | None = 1.0, prediction: str | None = "x", **details: Any) -> Record:
    """An answer whose figures are known, unless `figures` says otherwise."""
    known = {"figures": ["a.png"], "image": 0, **details}
    return Record(str(number), prediction, scores={} if score is None else {RETRIEVAL: score}, details=known)


@pytest.mark.parametrize(("image", "score"), [(0, 0.0), (1, 1.0), (2, 1.0), (None, 0.0)])
def test_the_image_named_must_be_one_that_the_answer_needs(image: int | None, score: float) -> None:
    """By its place among those shown; a chain of thought that names none is wrong."""
    row = {"figures": [{}, {}, {}], "referred": [1, 2]}
    assert retrieval_score("r", image, row) == {"r": score}


def test_without_the_figures_shown_there_is_no_score() -> None:
    """Nobody knows then which one the number means."""
    assert retrieval_score("r", 0, {"figures": [], "referred": []}) == {}


def test_the_metric_is_the_mean_of_the_scores(metric: Metric) -> None:
    """Named as asked; more is better."""
    found = metric.compute([answer(0, 1.0), answer(1, 0.0)])
    assert (metric.name, metric.higher_is_better, found.value, found.n) == (RETRIEVAL, True, 0.5, 2)
    assert found.scores == {"0": 1.0, "1": 0.0}


def test_it_is_withheld_where_the_order_is_not_known_for_more_than_a_hundredth(metric: Metric) -> None:
    """One of a hundred may be unknown; failed requests are no matter of the order."""
    unknown = answer(100, None, figures=[])
    few = metric.compute([answer(number) for number in range(99)] + [unknown])
    assert (few.value, few.n) == (1.0, 99)
    found = metric.compute([answer(0), unknown])
    assert (math.isnan(found.value), found.n) == (True, 1)
    assert found.reason == "the order of the figures that the model saw is not known for 1 of 2 answers"
    failed = metric.compute([answer(0), answer(1, None, None, figures=[])])
    assert failed.reason == "1 of 2 answers have a score, fewer than 99%"


def test_what_to_do_is_said_where_the_order_is_not_known() -> None:
    """Only of chains of thought that were answered."""
    no_image = Record("3", "x", details={})
    records = [answer(0), answer(1, None, figures=[]), answer(2, None, None, figures=[]), no_image]
    assert order_advice(records) == [
        "The figures that the model saw, in their order, are not known for 1 of 4 answers, which have no retrieval "
        "accuracy. Add a column of their file names, called figures, or name it with --columns figures=COLUMN."
    ]
    assert order_advice([answer(0), no_image]) == []
