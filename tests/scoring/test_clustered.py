"""Standard errors of clustered scores."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.clustered import clustered_stderr

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(SCORES)
def test_with_a_cluster_for_each_score_it_is_the_plain_standard_error(scores: list[float]) -> None:
    """Own clusters add no products: what is left is the sample deviation over the square root of n."""
    plain = statistics.stdev(scores) / math.sqrt(len(scores))
    assert clustered_stderr(scores, range(len(scores))) == pytest.approx(plain, abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=2, max_size=25))
def test_it_is_the_double_sum_of_equation_4(pairs: list[tuple[float, int]]) -> None:
    """The products of different scores of one cluster, written out as in the source."""
    n = len(pairs)
    mean = statistics.fmean(score for score, _ in pairs)
    variance = sum((score - mean) ** 2 for score, _ in pairs) / (n - 1) / n
    products = sum(
        (one - mean) * (other - mean)
        for i, (one, cluster) in enumerate(pairs)
        for j, (other, same) in enumerate(pairs)
        if i != j and cluster == same
    )
    expected = math.sqrt(max(0.0, variance + products / n**2))
    assert clustered_stderr(*map(list, zip(*pairs, strict=True))) == pytest.approx(expected, abs=1e-7)


def test_it_agrees_with_the_host() -> None:
    """The host shows the same error for the same records."""
    host = pytest.importorskip("lmms_eval.api.metrics")
    scores, clusters = [1.0, 1.0, 0.2, 0.0, 0.7, 0.4], ["a", "a", "b", "c", "c", "c"]
    assert clustered_stderr(scores, clusters) == pytest.approx(host.clustered_stderr(scores, clusters))


def test_one_score_has_no_error() -> None:
    """Below two scores there is nothing to estimate from."""
    assert math.isnan(clustered_stderr([0.5], ["a"]))


def test_lists_of_different_lengths_are_refused() -> None:
    """A score without a cluster is a mistake."""
    with pytest.raises(ValueError, match="a cluster for each"):
        clustered_stderr([0.5, 0.6], ["a"])
