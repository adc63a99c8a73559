"""95% intervals of metrics' values."""

from __future__ import annotations

import math
import statistics

import pytest
from scipy.stats import binomtest

from spiqa_tasks.benchmarks.aggregation import Value, mean_of
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.value_intervals import interval

MEAN = mean_of("x")


def records(scores: list[float], clusters: list[str | None]) -> list[Record]:
    return [
        Record(str(index), cluster=cluster, scores={"x": score})
        for index, (score, cluster) in enumerate(zip(scores, clusters, strict=True))
    ]


def test_a_share_of_answers_has_wilsons_interval() -> None:
    """Seven of ten hits: the interval that scipy gives."""
    hits = records([1.0] * 7 + [0.0] * 3, [None] * 10)
    expected = binomtest(7, 10).proportion_ci(method="wilson")
    assert interval(MEAN.compute(hits), hits) == pytest.approx((expected.low, expected.high))


def test_a_mean_over_papers_has_a_clustered_one() -> None:
    """With a paper for each answer it is the plain standard error; with answers alike within a paper it is wider."""
    scores = [0.2, 0.4, 0.6, 0.8]
    apart = records(scores, ["a", "b", "c", "d"])
    margin = 1.959963984540054 * statistics.stdev(scores) / math.sqrt(4)
    assert interval(MEAN.compute(apart), apart) == pytest.approx((0.5 - margin, 0.5 + margin))
    together = records(scores, ["a", "a", "b", "b"])
    low, high = interval(MEAN.compute(together), together) or (0.5, 0.5)
    assert high - low > 2 * margin


def test_an_interval_stays_within_what_scores_can_be() -> None:
    """It ends at 0 and at 1, or at the highest score where scores go beyond."""
    near_one = records([1.0, 0.7, 1.0], ["a", "b", "c"])
    assert (interval(MEAN.compute(near_one), near_one) or (0, 0))[1] == 1.0
    near_zero = records([0.0, 0.3, 0.0], ["a", "b", "c"])
    assert (interval(MEAN.compute(near_zero), near_zero) or (1, 1))[0] == 0.0
    cider = records([9.0, 10.0, 9.5], ["a", "b", "c"])
    assert 1 < (interval(MEAN.compute(cider), cider) or (0, 0))[1] <= 10.0
    low = records([0.2, 0.4, 0.3], ["a", "b", "c"])
    margin = 1.959963984540054 * 0.1 / math.sqrt(3)
    assert interval(MEAN.compute(low), low) == pytest.approx((0.3 - margin, 0.3 + margin))
    assert 0.3 + margin > 0.4


def test_what_is_no_mean_over_answers_has_no_interval() -> None:
    """A withheld value, a corpus value, a single answer of a paper, and scores between 0 and 1 without papers."""
    one = records([0.5], ["a"])
    assert interval(MEAN.compute(one), one) is None
    assert interval(Value(math.nan, 0), one) is None
    assert interval(Value(0.9, 1, {"0": 0.5}), one) is None
    two = records([0.25, 0.5], ["a", "b"])
    assert interval(Value(0.5, 2, {"0": 0.25, "1": 0.5}), two) is None
    assert interval(Value(0.375, 2, {"0": 0.25, "1": 0.5}), two) is not None
    plain = records([0.5, 0.6], [None, None])
    assert interval(MEAN.compute(plain), plain) is None
