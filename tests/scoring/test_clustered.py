"""Means of clustered scores: standard error, interval and bootstrap, all of one partition."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.scoring import clustered
from spiqa_tasks.scoring.clustered import (
    clustered_bootstrap,
    clustered_mean,
    clustered_stderr,
    holm,
    mean_interval,
    paired_difference,
    partition,
    resampled_weights,
)
from spiqa_tasks.scoring.gain import gain

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


@pytest.mark.usefixtures("host")
def test_it_agrees_with_the_host() -> None:
    """The host shows the same error for the same records."""
    from lmms_eval.api import metrics as host

    scores, clusters = [1.0, 1.0, 0.2, 0.0, 0.7, 0.4], ["a", "a", "b", "c", "c", "c"]
    assert clustered_stderr(scores, clusters) == pytest.approx(host.clustered_stderr(scores, clusters))


def test_one_score_has_no_error() -> None:
    """Below two scores there is nothing to estimate from."""
    assert math.isnan(clustered_stderr([0.5], ["a"]))


@given(st.lists(st.sampled_from([None, "a", "b", 0, (0,), (1,), ""]), max_size=12))
def test_a_partition_has_every_score_once(clusters: list[object]) -> None:
    """Scores of one name are together and in order, those without a name alone, whatever the names look like."""
    groups = partition(clusters)  # type: ignore[arg-type]
    assert sorted(place for places in groups for place in places) == list(range(len(clusters)))
    assert all(places == sorted(places) for places in groups)
    names = [{clusters[place] for place in places} for places in groups]
    assert all(len(name) == 1 for name in names)
    named = [name for name in names if name != {None}]
    assert len({frozenset(name) for name in named}) == len(named)
    assert all(len(places) == 1 for places, name in zip(groups, names, strict=True) if name == {None})


@given(SCORES)
def test_the_interval_of_single_scores_is_that_of_the_t_test(scores: list[float]) -> None:
    """Mean and interval are those of `scipy.stats.ttest_1samp`, with one degree of freedom less than scores."""
    found = clustered_mean(scores, [None] * len(scores))
    assume(found.stderr > 1e-12)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert found.n == len(scores)
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(scores), expected.low, expected.high))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=2, max_size=30))
def test_the_interval_of_clustered_scores_has_as_many_degrees_of_freedom_as_clusters_less_one(
    pairs: list[tuple[float, int]],
) -> None:
    """The quantile is scipy's t, the standard error that of equation 4; one cluster has neither."""
    scores, clusters = map(list, zip(*pairs, strict=True))
    found = clustered_mean(scores, clusters)
    count = len(set(clusters))
    if count == 1:
        assert all(math.isnan(value) for value in (found.stderr, found.low, found.high))
        return
    margin = stats.t(count - 1).ppf(0.975) * clustered_stderr(scores, clusters)
    mean = statistics.fmean(scores)
    assert (found.low, found.high) == pytest.approx((mean - margin, mean + margin))


def test_the_interval_by_t_holds_the_mean_where_a_normal_one_does_not() -> None:
    """Of simulated splits with 8 papers, 95 in a hundred intervals hold the true mean; of normal ones, far fewer."""
    generator = np.random.default_rng(0)
    by_t = normal = 0
    for _ in range(2000):
        papers = generator.normal(0.5, 0.1, 8)
        scores = [paper + generator.normal(0, 0.05) for paper in papers for _ in range(5)]
        found = clustered_mean(scores, [paper for paper in range(8) for _ in range(5)])
        by_t += found.low <= 0.5 <= found.high
        normal += abs(found.mean - 0.5) <= 1.959964 * found.stderr
    assert by_t / 2000 == pytest.approx(0.95, abs=0.02)
    assert normal / 2000 < 0.92


@pytest.mark.parametrize("call", [clustered_mean, mean_interval, paired_difference])
def test_a_score_without_a_cluster_is_refused(call: object) -> None:
    """In whatever is asked."""
    with pytest.raises(ValueError, match="a cluster for each"):
        call([0.5, 0.25, 0.1], ["a", "b"])  # type: ignore[operator]
    with pytest.raises(ValueError, match="a cluster for each"):
        clustered_bootstrap([0.5, 0.25], ["a"], 10, 0)


def test_no_score_is_refused() -> None:
    """A mean of nothing is a mistake."""
    with pytest.raises(ValueError, match="at least one score, got none"):
        clustered_mean([], [])


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_of_questions_that_share_nothing_has_wilsons_interval(case: tuple[int, int]) -> None:
    """That of `scipy.stats.binomtest`, also where all or none are right."""
    hits, n = case
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    found = mean_interval([1.0] * hits + [0.0] * (n - hits), [None] * n)
    assert found == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("scores", "clusters"),
    [
        ([1.0, 0.0, 1.0, 1.0], ["a", "a", "b", "c"]),
        ([1.0, 0.0, 0.5, 1.0], [None] * 4),
        ([1.0, 0.0, 1.0, 1.0], ["a", None, None, None]),
    ],
    ids=["a share over papers", "scores between 0 and 1", "a share of which one has a paper"],
)
def test_every_other_mean_has_the_clustered_interval(scores: list[float], clusters: list[str | None]) -> None:
    """Cut at 0 and 1."""
    found, expected = mean_interval(scores, clusters), clustered_mean(scores, clusters)
    assert found == (max(0.0, expected.low), min(1.0, expected.high))


def test_an_interval_stays_within_what_scores_can_be() -> None:
    """It ends at 0 and at 1, or at the highest score where scores go beyond, as CIDEr's do."""
    alone = [None] * 3
    near_one = mean_interval([1.0, 0.7, 1.0], alone)
    near_zero = mean_interval([0.0, 0.3, 0.0], alone)
    cider = mean_interval([9.0, 10.0, 9.5], alone)
    assert near_one is not None
    assert near_one[1] == 1.0
    assert near_zero is not None
    assert near_zero[0] == 0.0
    assert cider is not None
    assert 1 < cider[0] < 9.5 < cider[1] == 10.0


def resampled(scores: Sequence[float], clusters: Sequence[object], repeats: int) -> list[float]:
    """Means of resamples of whole clusters, drawn one after the other."""
    names = list(dict.fromkeys(clusters))
    generator = random.Random(3)
    means = []
    for _ in range(repeats):
        drawn = [generator.choice(names) for _ in names]
        values = [score for name in drawn for score, cluster in zip(scores, clusters, strict=True) if cluster == name]
        means.append(sum(values) / len(values))
    return means


@pytest.mark.parametrize("seed", range(4))
def test_the_bootstrap_is_that_of_a_slow_loop_over_clusters(seed: int) -> None:
    """Clusters of 1 to 12 scores, paired differences from -1 to 1: both ends agree to a twentieth of the width."""
    generator = np.random.default_rng(seed)
    clusters = [f"paper {paper}" for paper in range(15) for _ in range(generator.integers(1, 13))]
    shifts = dict(zip(dict.fromkeys(clusters), generator.normal(0, 0.3, 15), strict=True))
    scores = [float(np.clip(shifts[name] + generator.normal(0, 0.2), -1, 1)) for name in clusters]
    low, high = clustered_bootstrap(scores, clusters, 4000, seed)
    means = resampled(scores, clusters, 4000)
    expected = np.percentile(means, [2.5, 97.5])
    assert (low, high) == pytest.approx(expected, abs=(high - low) / 20)
    alone = clustered_bootstrap(scores, [None] * len(scores), 4000, seed)
    assert alone[1] - alone[0] < high - low


def test_the_bootstrap_of_two_clusters_ends_at_their_means() -> None:
    """One resample in four has the first cluster alone, one the second: both are beyond 2.5 percent."""
    scores, clusters = [0.1, 0.3, 0.9], ["a", "a", "b"]
    assert clustered_bootstrap(scores, clusters, 1000, 0) == pytest.approx((0.2, 0.9))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 3)), min_size=3, max_size=12))
def test_names_and_order_of_clusters_say_nothing(pairs: list[tuple[float, int]]) -> None:
    """Standard error, interval and paired test depend on who is with whom alone; no name is a cluster of one's own."""
    scores, clusters = map(list, zip(*pairs, strict=True))
    alone = {cluster for cluster in clusters if clusters.count(cluster) == 1}
    renamed = [None if cluster in alone else f"paper {9 - cluster}" for cluster in clusters]
    backwards = (scores[::-1], renamed[::-1])
    for call in (
        clustered_stderr,
        lambda *given: clustered_mean(*given).high,
        lambda *given: paired_difference(*given).p,
    ):
        expected = call(scores, clusters)
        assert call(scores, renamed) == pytest.approx(expected, nan_ok=True)
        assert call(*backwards) == pytest.approx(expected, nan_ok=True)


def test_one_partition_feeds_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it finds a single cluster, nothing that rests on clusters shows a spread, whoever asks."""
    scores, clusters = [1.0, 0.2, 0.4, 0.9], ["a", "a", "b", None]
    value = Value(0.625, 4, dict(zip("wxyz", scores, strict=True)), clusters=dict(zip("wxyz", clusters, strict=True)))

    def spreads() -> list[object]:
        test, gained = paired_difference(scores, clusters), gain(scores, [0.0] * 4, None, clusters, repeats=10).mg
        ends = (*clustered_bootstrap(scores, clusters, 10, 0), clustered_mean(scores, clusters).low, test.high, test.p)
        known = [None if math.isnan(end) else end for end in (*ends, gained.low)]
        return [*known, mean_interval(scores, clusters), Value(**vars(value)).interval]

    assert None not in spreads()
    monkeypatch.setattr(clustered, "partition", lambda clusters: [list(range(len(clusters)))])
    assert set(spreads()) == {None}


DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=40)


@given(DIFFERENCES)
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


def test_holm_is_the_textbook_example() -> None:
    """0.01, 0.04, 0.03, 0.005 of four tests become 0.03, 0.06, 0.06, 0.02; NaN counts for none."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    corrected = holm([0.01, math.nan, 0.5])
    assert corrected[0] == pytest.approx(0.02)
    assert math.isnan(corrected[1])
    assert corrected[2] == 0.5


def test_resampled_weights_draw_whole_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are, with replacement; in blocks of rows that are all drawn anew, the same for the same seed."""
    clusters = ["a", "b", "a", None, None]
    (weights,) = resampled_weights(clusters, 4000, 3)
    assert (weights.shape, weights.dtype) == ((4000, 5), np.float64)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3, 4]].sum(axis=1) == 4).all()
    assert weights.mean(axis=0) == pytest.approx([1.0] * 5, abs=0.06)
    assert weights[:, 1].var() == pytest.approx(4 * 0.25 * 0.75, abs=0.05)
    assert np.array_equal(weights, next(resampled_weights(clusters, 4000, 3)))
    assert not np.array_equal(weights, next(resampled_weights(clusters, 4000, 4)))
    monkeypatch.setattr(clustered, "_BLOCK", 15)
    blocks = list(resampled_weights(clusters, 7, 3))
    assert [block.shape for block in blocks] == [(3, 5), (3, 5), (1, 5)]
    assert not np.array_equal(blocks[0], blocks[1])
    monkeypatch.setattr(clustered, "_BLOCK", 1)
    assert [block.shape for block in resampled_weights(clusters, 2, 3)] == [(1, 5), (1, 5)]


@pytest.mark.parametrize("clusters", [[], ["a"], ["a", "a"], [None]])
def test_a_single_cluster_is_not_resampled(clusters: list[str | None]) -> None:
    """It shows no spread."""
    assert list(resampled_weights(clusters, 5, 0)) == []
    assert len(list(resampled_weights([*clusters, "b"], 5, 0))) == bool(clusters)
