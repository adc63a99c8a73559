"""Intervals agree with closed forms computed here by other means."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.intervals import bootstrap_interval, bootstrap_means, wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_bounds_solve_the_score_equation(case: tuple[int, int]) -> None:
    """Each bound is a root in p of (share - p)^2 = z^2 p (1 - p) / n, which defines the interval."""
    hits, n = case
    z = 1.959963984540054
    roots = np.roots([1 + z**2 / n, -(2 * hits / n + z**2 / n), (hits / n) ** 2]).real
    assert wilson(hits, n) == pytest.approx((min(roots), max(roots)), abs=1e-6)


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_wilson_rejects_impossible_counts(hits: int, n: int) -> None:
    """Counts that cannot be are errors."""
    with pytest.raises(ValueError, match="expected 0 <= hits <= n"):
        wilson(hits, n)


@pytest.mark.parametrize("scores", [np.r_[np.ones(30), np.zeros(70)], np.linspace(0, 1, 101) ** 2])
@pytest.mark.parametrize("size", [1, 40, 300])
def test_bootstrap_means_have_the_analytic_mean_and_variance(scores: np.ndarray, size: int) -> None:
    """Means of resamples vary around the sample mean with the population variance divided by the resample's size."""
    means = bootstrap_means(scores, 40_000, size, seed=7)
    variance = sum((score - scores.mean()) ** 2 for score in scores) / len(scores) / size
    assert means.shape == (40_000,)
    assert means.mean() == pytest.approx(scores.mean(), abs=5 * math.sqrt(variance / 40_000))
    assert means.var() == pytest.approx(variance, rel=0.05)


def test_bootstrap_is_fixed_by_its_seed() -> None:
    """The same seed gives the same means and another seed gives others."""
    scores = np.arange(20) / 20
    first = bootstrap_means(scores, 50, 20, seed=3)
    assert np.array_equal(first, bootstrap_means(scores, 50, 20, seed=3))
    assert not np.array_equal(first, bootstrap_means(scores, 50, 20, seed=4))


def test_bootstrap_means_across_blocks_are_all_filled() -> None:
    """Repeats beyond one block of draws are resampled as well."""
    scores = np.random.default_rng(0).uniform(1, 2, 500)
    means = bootstrap_means(scores, 20_001, 500, seed=0)
    assert ((means > 1.3) & (means < 1.7)).all()
    assert len(np.unique(means)) > 19_000


@pytest.mark.parametrize("scores", [[], [math.nan, 1.0], [None, 1.0], [[1.0, 0.0]]])
def test_bootstrap_rejects_scores_it_cannot_average(scores: list[float]) -> None:
    """No scores, undefined ones and tables of scores are errors."""
    with pytest.raises(ValueError, match="finite scores"):
        bootstrap_means(scores, 10, 5, seed=0)


def interval_of(scores: Sequence[float], repeats: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of the mean of scores of which each is a cluster of its own."""
    return bootstrap_interval(scores, [1] * len(scores), repeats, 0, level)


def test_the_bootstrap_is_close_to_the_normal_interval() -> None:
    """For many scores the percentile interval is the mean plus and minus z standard errors."""
    scores = np.random.default_rng(5).normal(0.1, 0.4, 2000)
    margin = 1.959964 * scores.std() / math.sqrt(2000)
    low, high = interval_of(list(scores), 10_000)
    assert low == pytest.approx(scores.mean() - margin, abs=0.1 * margin)
    assert high == pytest.approx(scores.mean() + margin, abs=0.1 * margin)


def test_clusters_weigh_as_many_as_their_scores() -> None:
    """Of two clusters, one with a single 1 and one with three 0s, a resample's mean is 0, 1/4 or 1."""
    for level, ends in ((0.9, (0.0, 1.0)), (0.4, (0.25, 0.25))):
        assert bootstrap_interval([1.0, 0.0], [1, 3], 4000, 0, level) == ends


def test_a_single_cluster_shows_no_spread() -> None:
    """However many scores it has."""
    assert all(math.isnan(end) for end in bootstrap_interval([12.0], [40], 100, seed=0))


def test_the_bootstrap_is_fixed_by_its_seed_and_holds_the_level() -> None:
    """The same seed gives the same interval, another one another, and a lower level gives one inside it."""
    scores, ones = np.random.default_rng(1).normal(0, 1, 100), np.ones(100)
    low, high = bootstrap_interval(scores, ones, 2000, seed=0)
    assert bootstrap_interval(scores, ones, 2000, seed=0) == (low, high)
    assert bootstrap_interval(scores, ones, 2000, seed=1) != (low, high)
    narrow_low, narrow_high = bootstrap_interval(scores, ones, 2000, seed=0, level=0.5)
    assert low < narrow_low < narrow_high < high


@pytest.mark.parametrize("scores", [[], [math.nan, 1.0], [None, 1.0], [[1.0, 0.0]]])
def test_the_interval_of_scores_that_have_no_mean_is_refused(scores: list[float]) -> None:
    """No scores, undefined ones and tables of them are errors."""
    with pytest.raises(ValueError, match="finite scores"):
        interval_of(scores, 10)


@pytest.mark.parametrize(("repeats", "level"), [(0, 0.95), (10, 0.0), (10, 1.0), (10, 95.0)])
def test_the_bootstrap_rejects_unusable_settings(repeats: int, level: float) -> None:
    """No repeats, or a level that is no probability, are errors."""
    with pytest.raises(ValueError, match="expected"):
        interval_of([0.1, 0.2], repeats, level)


@pytest.mark.parametrize(
    "resample",
    [lambda scores: bootstrap_means(scores, 6000, 4000, seed=0), lambda scores: interval_of(scores, 6000)],
)
def test_memory_is_bounded_whatever_the_repeats(resample: Callable[[np.ndarray], object]) -> None:
    """24 million draws of 8 bytes are never held at once."""
    scores = np.linspace(0, 1, 4000)
    tracemalloc.start()
    resample(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24_000_000 * 8 * 0.75


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy's, about the standard error of one resample
def test_the_number_of_repeats_is_the_one_given() -> None:
    """No repeat gives no mean; a single one is both ends of the interval; none makes no interval."""
    assert bootstrap_means([1.0, 0.0], 0, 5, seed=0).shape == (0,)
    low, high = interval_of([0.0, 1.0, 5.0], 1)
    assert low == high
    with pytest.raises(ValueError, match=r"^expected at least one repeat, got 0$"):
        interval_of([0.0, 1.0], 0)
    with pytest.raises(ValueError, match=r"^expected repeats >= 0 and size >= 1, got repeats=-1, size=5$"):
        bootstrap_means([0.0, 1.0], -1, 5, seed=0)
