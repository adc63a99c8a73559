"""Paired differences against independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spiqa_tasks.scoring.paired import holm, paired_difference

SCORES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=40)


@given(SCORES)
def test_without_clusters_it_is_the_paired_t_test_of_scipy_and_of_the_host(differences: list[float]) -> None:
    """Interval and p-value are those of `scipy.stats.ttest_1samp`."""
    found = paired_difference(differences, range(len(differences)))
    if found.stderr == 0:
        assert found.p == float(found.mean == 0)
        return
    expected = stats.ttest_1samp(differences, 0)
    interval = expected.confidence_interval(0.95)
    assert (found.p, found.low, found.high) == pytest.approx((expected.pvalue, interval.low, interval.high))


def test_the_smallest_difference_is_shown_with_80_percent_probability() -> None:
    """Simulated: true differences of that size have p < 0.05 in four of five draws."""
    generator = np.random.default_rng(0)
    found = paired_difference(list(generator.normal(0, 0.5, 400)), range(400))
    draws = generator.normal(found.smallest, found.stderr * 20, (2000, 400))
    shown = stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05
    assert shown.mean() == pytest.approx(0.8, abs=0.03)


def test_answers_that_repeat_within_clusters_count_once() -> None:
    """Every question four times over in its cluster has about twice the standard error of as many single questions."""
    single = [1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 0.0, -1.0] * 5
    repeated = [value for value in single for _ in range(4)]
    clusters = [place // 4 for place in range(len(repeated))]
    clustered = paired_difference(repeated, clusters)
    plain = paired_difference(repeated, range(len(repeated)))
    assert clustered.stderr / plain.stderr == pytest.approx(2, rel=0.02)


def test_one_cluster_tells_no_spread() -> None:
    """The mean is known, everything else is not a number."""
    found = paired_difference([1.0, 0.0], ["paper", "paper"])
    assert found.mean == 0.5
    assert all(math.isnan(value) for value in (found.stderr, found.low, found.high, found.p, found.smallest))
    with pytest.raises(ValueError, match="at least one"):
        paired_difference([], [])


def test_holm_is_the_textbook_example() -> None:
    """0.01, 0.04, 0.03, 0.005 of four tests become 0.03, 0.06, 0.06, 0.02; NaN counts for none."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    corrected = holm([0.01, math.nan, 0.5])
    assert corrected[0] == pytest.approx(0.02)
    assert math.isnan(corrected[1])
    assert corrected[2] == 0.5
