"""Intervals contain the truth as often as they say, have a width, and agree with closed forms
made by other means.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, stats

from spiqa_tasks.scoring.clusters import groups_of
from spiqa_tasks.scoring.intervals import (
    Paired,
    effective_number,
    holm,
    mean_interval,
    paired,
    share_interval,
    usual_size,
)

HITS = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_of_questions_that_share_nothing_has_wilsons_interval(
    case: tuple[int, int],
) -> None:
    """That of `scipy.stats.binomtest`, also where all or none are right."""
    hits, n = case
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    found = share_interval([1.0] * hits + [0.0] * (n - hits))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_clustered_share_solves_wilsons_equation_at_its_effective_number() -> None:
    """Two papers of four, half right: variances by hand, scipy's t quantile, bounds as roots."""
    scores, papers = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], list("aaaabbbb")
    clustered = ((3 - 2) ** 2 + (1 - 2) ** 2) / (1 - 1 / 2)
    independent = 8 * 0.25 * 8 / 7
    # One more score at distance 1, alone and as a paper of four.
    effective = 8 / ((clustered + 4) / (independent + 1))

    quantile = stats.t(1).ppf(0.975)
    width = quantile**2 / effective
    roots = np.roots([1 + width, -(1 + width), 0.25]).real
    found = share_interval(scores, papers)
    assert (found.low, found.high) == pytest.approx((min(roots), max(roots)))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30).filter(lambda each: {*each} - {0.0, 1.0}))
def test_a_mean_has_wilsons_interval_at_the_ratio_of_two_variances(scores: list[float]) -> None:
    """The variance of hits over that of the scores, both with a 0 and a 1 more, by numpy."""
    extended = np.array([*scores, 0.0, 1.0])
    ratio = extended.mean() * (1 - extended.mean()) / extended.var()
    mean, width = np.mean(scores), stats.t(len(scores) - 1).ppf(0.975) ** 2
    found = share_interval(scores)
    for end in (found.low, found.high):
        # The end's distance from the mean is the quantile times the error at that end.
        assert (end - mean) ** 2 == pytest.approx(
            width * end * (1 - end) / (len(scores) * ratio), abs=1e-9
        )


@pytest.mark.parametrize("n", [5, 10, 39])
def test_almost_certain_scores_prove_no_more_than_certain_ones(n: int) -> None:
    """Right answers at .99 to .99999, alone and in papers; exact ones keep [56.6, 100] of five.

    The interval of 39 almost certain scores was [99.7, 99.9], of five [98.6, 99.9].
    """
    almost = (1 - np.geomspace(1e-5, 1e-2, n)).tolist()
    papers = [index // 2 for index in range(n)]
    for clusters in (None, papers):
        certain, found = (share_interval(scores, clusters) for scores in ([1.0] * n, almost))
        assert certain.low is not None and found.low is not None and found.high is not None  # noqa: PT018
        assert found.low < certain.low + 0.01
        assert found.high > 0.998
    five = share_interval([1.0] * 5)
    assert (five.low, five.high) == pytest.approx((0.566, 1.0), abs=5e-4)


@pytest.mark.parametrize("n", [5, 10, 39])
def test_two_almost_perfect_runs_are_compared_as_two_perfect_ones(n: int) -> None:
    """Two of ten differed by at most 0.35 points, where perfect ones do by 27.8."""
    certain = paired([1.0] * n, [1.0] * n)
    found = paired(
        (1 - np.geomspace(1e-5, 1e-2, n)).tolist(), (1 - np.geomspace(1e-2, 1e-6, n)).tolist()
    )
    assert (found.low, found.high) == pytest.approx((certain.low, certain.high), rel=0.02)


def test_papers_of_almost_equal_scores_count_once_each() -> None:
    """The effective number of five papers of eight does not exceed five, whatever their noise."""
    papers = np.arange(5).repeat(8).tolist()
    almost = (1 - np.geomspace(1e-5, 1e-3, 40)).tolist()
    number, freedom = effective_number(almost, groups_of(almost, papers))
    assert (number, freedom) == pytest.approx((5, 4), rel=0.01)


@pytest.mark.parametrize("n", [10, 20, 40])
@pytest.mark.parametrize("share", [0.7, 0.9, 0.95, 0.98])
def test_intervals_of_l3scores_contain_the_true_mean(n: int, share: float) -> None:
    """Scores within 0.004 of 0 or 1: at least 91 of a hundred in 1,000 samples, down to 17 once."""
    rng = np.random.default_rng(n)
    true = share * 0.998 + (1 - share) * 0.002
    covered = 0
    for _ in range(1000):
        distance = rng.uniform(0, 0.004, n)
        scores = np.where(rng.random(n) < share, 1 - distance, distance)
        found = share_interval(scores.tolist())
        assert found.low is not None and found.high is not None  # noqa: PT018
        covered += found.low <= true <= found.high
    assert covered / 1000 > 0.91


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.9, 0.97])
@pytest.mark.parametrize("papers", [10, 30])
@pytest.mark.parametrize("law", ["even", "log-normal", "Pareto"])
def test_intervals_of_papers_contain_the_true_mean(law: str, papers: int, share: float) -> None:
    """Correlation 0.3 within papers of equal and heavy-tailed sizes, L3Scores: in 91 of a hundred.

    Differences of two equally good runs alike.
    """
    rng = np.random.default_rng(papers)
    total = 1 / 0.3 - 1

    def draw(clusters: np.ndarray) -> list[float]:
        chances = rng.beta(share * total, (1 - share) * total, papers)[clusters]
        distance = rng.uniform(0, 0.004, clusters.size)
        hits = rng.random(clusters.size) < chances
        return list(np.where(hits, 1 - distance, distance))

    true = share * 0.998 + (1 - share) * 0.002
    covered = np.zeros(2)
    for _ in range(600):
        sizes = {
            "even": np.full(papers, 8),
            "log-normal": np.ceil(rng.lognormal(1, 1, papers)),
            "Pareto": np.clip(np.ceil(rng.pareto(1.5, papers)), 1, 500),
        }[law].astype(int)
        clusters = np.repeat(np.arange(papers), sizes)
        first, second = draw(clusters), draw(clusters)
        mean, difference = (
            share_interval(first, clusters.tolist()),
            paired(first, second, clusters.tolist()),
        )
        covered += [
            mean.low is not None and mean.high is not None and mean.low <= true <= mean.high,
            difference.p is not None and difference.p >= 0.05,
        ]
    assert (covered / 600 > 0.91).all()


@given(HITS, st.data())
def test_no_interval_is_without_width_or_outside_of_what_scores_can_be(
    scores: list[float], data: st.DataObject
) -> None:
    """Whatever is right, and in whatever papers: the ends are around the value, within 0 and 1,
    or both withheld.
    """
    papers = data.draw(
        st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=len(scores), max_size=len(scores))
    )
    others = data.draw(
        st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=len(scores), max_size=len(scores))
    )
    mean = math.fsum(scores) / len(scores)
    share, difference = share_interval(scores, papers), paired(scores, others, papers)
    if set(papers) in ({"a"}, {"b"}, {"c"}):
        assert (share.low, share.high, share.reason) == (
            None,
            None,
            "all questions are of one cluster",
        )
        assert difference == Paired(len(scores), difference.difference, reason=share.reason)
        return
    assert share.low is not None and share.high is not None  # noqa: PT018
    assert 0 <= share.low <= mean + 1e-12 and mean <= share.high + 1e-12 and share.high <= 1  # noqa: PT018
    assert share.high - share.low > 0.01
    assert difference.low is not None and difference.high is not None  # noqa: PT018
    assert -1 <= difference.low <= difference.difference <= difference.high <= 1
    assert difference.high - difference.low > 0.01


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_intervals_of_eight_papers_hold_the_true_share(share: float) -> None:
    """Correlation 0.3 within papers of 1 to 15 questions: at least 92 in a hundred, and none
    without width.
    """
    rng = np.random.default_rng(0)
    sizes = [1, 3, 5, 5, 7, 8, 11, 15]
    papers = np.repeat(np.arange(8), sizes)
    total = 1 / 0.3 - 1
    covered = 0
    for _ in range(600):
        chances = rng.beta(share * total, (1 - share) * total, 8)[papers]
        found = share_interval(
            (rng.random(papers.size) < chances).astype(float).tolist(), papers.tolist()
        )
        covered += (
            found.low is not None and found.high is not None and found.low <= share <= found.high
        )
    assert covered / 600 > 0.92


@pytest.mark.parametrize("scores", [[9.0, 10.0, 9.5], [0.0, 0.2, 3.0, 0.1]])
def test_scores_beyond_1_have_the_interval_of_t(scores: list[float]) -> None:
    """CIDEr: that of `scipy.stats.ttest_1samp`, cut at 0; withheld where all are equal."""
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    found = mean_interval(scores)
    assert (found.low, found.high) == pytest.approx((max(0.0, expected.low), expected.high))
    assert mean_interval([2.0, 2.0]).reason == "all scores are equal"


def test_hits_have_the_interval_of_bonett_and_price() -> None:
    """23 won, 11 lost, of 200 questions: Laplace's adjustment of the cells, with the quantile of
    t.
    """
    a, b = [0.0] * 23 + [1.0] * 11 + [1.0] * 166, [1.0] * 23 + [0.0] * 11 + [1.0] * 166
    won, lost = 24 / 202, 12 / 202
    error = math.sqrt((won + lost - (won - lost) ** 2) / 201)
    margin = stats.t(199).ppf(0.975) * error
    found = paired(a, b)
    assert found.difference == pytest.approx(12 / 200)
    assert (found.low, found.high) == pytest.approx(
        (won - lost - margin, won - lost + margin), rel=0.01
    )
    assert found.p == pytest.approx(2 * stats.t(199).sf((won - lost) / error), rel=0.02)


def test_a_handful_of_questions_that_all_agree_proves_little() -> None:
    """Four won ones have about the p of the sign test (0.125), and 24 equal answers an interval
    around 0.
    """
    four = paired([0.0] * 4, [1.0] * 4)
    equal = paired([1.0] * 24, [1.0] * 24)
    assert four.p == pytest.approx(0.125, abs=0.02)
    assert four.low is not None and four.low < 0  # noqa: PT018
    assert (equal.difference, equal.p, equal.smallest) == (0.0, 1.0, None)
    assert equal.high == pytest.approx(-equal.low if equal.low is not None else None)
    assert equal.high == pytest.approx(0.11, abs=0.02)


@given(HITS, st.data())
def test_the_test_says_what_the_interval_says(scores: list[float], data: st.DataObject) -> None:
    """p is below 0.05 where 0 is outside, and the runs in the other order give the same with the
    other sign.
    """
    others = data.draw(
        st.lists(st.sampled_from([0.0, 1.0]), min_size=len(scores), max_size=len(scores))
    )
    found, back = paired(scores, others), paired(others, scores)
    assert found.p is not None and found.low is not None and found.high is not None  # noqa: PT018
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    assert (back.difference, back.low, back.p) == pytest.approx(
        (-found.difference, -found.high, found.p)
    )


def test_scores_that_hardly_differ_are_not_held_to_hits() -> None:
    """METEOR's differences of a few points in 200 questions keep the plain t interval within a
    tenth.
    """
    rng = np.random.default_rng(0)
    a = rng.normal(0.3, 0.1, 200).clip(0, 1)
    b = (a + rng.normal(0.01, 0.08, 200)).clip(0, 1)
    found, plain = paired(a.tolist(), b.tolist()), stats.ttest_rel(b, a).confidence_interval(0.95)
    assert found.low is not None and found.high is not None  # noqa: PT018
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.1)


@given(st.lists(st.tuples(st.floats(2, 9), st.floats(2, 9)), min_size=2, max_size=30))
def test_scores_in_another_unit_have_the_same_test(pairs: list[tuple[float, float]]) -> None:
    """CIDEr times ten has ten times the difference and its limits, and the same p."""
    a, b = map(list, zip(*pairs, strict=True))
    assume(len({*a, *b}) > 1)  # else no unit is known
    found, larger = paired(a, b), paired([10 * x for x in a], [10 * x for x in b])
    assert found.low is not None and found.high is not None  # noqa: PT018
    assert (larger.difference, larger.low, larger.high, larger.p) == pytest.approx(
        (10 * found.difference, 10 * found.low, 10 * found.high, found.p)
    )


def test_the_smallest_difference_is_found_with_80_percent_probability() -> None:
    """Simulated in 30 papers of 8 and in 1,000 questions: so large a true difference has p <
    0.05 in four of five.
    """
    rng = np.random.default_rng(1)

    def draw(papers: np.ndarray, better: float) -> Paired:
        shift = better + rng.normal(0, 0.1, papers.max() + 1)[papers]
        a = rng.normal(0, 0.5, papers.size)
        return paired(a.tolist(), (a + rng.normal(shift, 0.4)).tolist(), papers.tolist())

    for papers in (np.repeat(np.arange(30), 8), np.arange(1000)):
        smallest = np.median([draw(papers, 0.0).smallest for _ in range(50)])
        power = np.mean([(draw(papers, float(smallest)).p or 0) < 0.05 for _ in range(400)])
        assert power == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("papers", [400, 40])
def test_the_smallest_difference_solves_the_power_of_the_noncentral_t(papers: int) -> None:
    """The half width of the interval gives the error, scipy's noncentral t the power."""
    rng = np.random.default_rng(3)
    a = rng.uniform(0, 0.5, 400)
    b = a + rng.normal(0, 0.1, 400) + rng.normal(0, 0.1, papers).repeat(400 // papers)
    found = paired(a.tolist(), b.tolist(), np.arange(papers).repeat(400 // papers).tolist())
    mean, quantile = (b - a).sum() / 402, stats.t.ppf(0.975, papers - 1)
    error = ((found.high or 0) - mean) / quantile
    power = lambda true: stats.nct.sf(quantile, papers - 1, true / error) - 0.8  # noqa: E731
    assert found.smallest == pytest.approx(optimize.brentq(power, 1e-4, 1) * 402 / 400, rel=1e-6)


def test_the_smallest_difference_is_withheld_where_the_sample_cannot_tell() -> None:
    """Of fewer than 20 differing questions or papers, and of papers of which one holds a half."""
    a, b = [0.0] * 200, [1.0] * 20 + [0.0] * 180
    assert paired(a, b).smallest is not None
    assert paired(a, [1.0] * 19 + [0.0] * 181).smallest is None
    assert paired(a, b, np.arange(20).repeat(10).tolist()).smallest is None
    assert paired(a, b, np.arange(50).repeat(4).tolist()).smallest is not None
    assert paired(a, b, [0] * 100 + list(range(1, 101))).smallest is None


@pytest.mark.parametrize("scores", [[0.0, 1.0, 1.0], [2.0, 5.0, 3.5, 0.1], [1.0, 1.5]])
def test_the_usual_size_is_that_of_all_differences(scores: list[float]) -> None:
    """Root of the fourth over the second moment of all pairs, a 0 and a 1 more for scores up to
    1.
    """
    extended = np.array([*scores, 0.0, 1.0] if max(scores) <= 1 else scores)
    differences = extended[:, None] - extended[None, :]
    expected = np.sqrt((differences**4).sum() / (differences**2).sum())
    assert usual_size(scores) == pytest.approx(expected)
    assert usual_size([2.0, 2.0]) == 1.0


@pytest.mark.parametrize(
    "call", [share_interval, mean_interval, lambda scores, papers: paired(scores, scores, papers)]
)
def test_scores_without_a_cluster_are_refused(call: Callable[..., object]) -> None:
    """As are scores outside of 0 and 1 for a share, and runs of different questions."""
    with pytest.raises(ValueError, match="a cluster for each"):
        call([0.5, 0.25, 0.1], ["a", "b"])
    with pytest.raises(ValueError, match="scores from 0 to 1"):
        share_interval([0.5, 1.5])
    with pytest.raises(ValueError, match="the same questions"):
        paired([0.5], [0.5, 0.1])


def test_no_scores_have_no_interval() -> None:
    """The reason says so."""
    assert share_interval([]).reason == mean_interval([]).reason == "no scores"
    assert paired([0.5], [0.1]).reason == "all questions are of one cluster"


def test_holm_is_the_textbook_example() -> None:
    """0.01, 0.04, 0.03, 0.005 of four tests become 0.03, 0.06, 0.06, 0.02; a withheld one counts
    for none, and none is above 1.
    """
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, None, 0.5]) == [pytest.approx(0.02), None, 0.5]
    assert holm([0.9, 0.6]) == [1.0, 1.0]
