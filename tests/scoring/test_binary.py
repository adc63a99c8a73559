"""Agreement of scores with yes/no labels: equal to scikit-learn's, with intervals of whole clusters."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics
from sklearn.calibration import calibration_curve

from spiqa_tasks.scoring import binary
from spiqa_tasks.scoring.binary import best_threshold, binary_agreement, reliability

LABELLED = st.lists(
    st.tuples(
        st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0])), st.booleans()
    ),
    min_size=1,
)


def drawn(seed: int, n: int = 400) -> tuple[list[float], list[bool], list[int]]:
    """Scores that know something of the labels, with ties, and clusters of about five."""
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.6
    scores = np.clip(0.4 * labels + generator.beta(0.5, 0.5, n) * 0.6, 0, 1).round(2)
    return scores.tolist(), labels.tolist(), generator.integers(n // 5, size=n).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_the_statistics_are_those_of_scikit_learn(seed: int) -> None:
    """On random scores and labels, to the last digits."""
    scores, labels, clusters = drawn(seed)
    said = [score > 0.5 for score in scores]
    found = binary_agreement(scores, labels, clusters)
    assert (found.n, found.positives) == (len(labels), sum(labels))
    assert found.accuracy.value == pytest.approx(
        sklearn_metrics.accuracy_score(labels, said), abs=1e-12
    )
    assert found.f1.value == pytest.approx(sklearn_metrics.f1_score(labels, said), abs=1e-12)
    assert found.kappa.value == pytest.approx(
        sklearn_metrics.cohen_kappa_score(labels, said), abs=1e-12
    )
    assert found.auroc.value == pytest.approx(
        sklearn_metrics.roc_auc_score(labels, scores), abs=1e-12
    )
    assert found.brier.value == pytest.approx(
        sklearn_metrics.brier_score_loss(labels, scores), abs=1e-12
    )


@given(LABELLED)
def test_auroc_is_that_of_scikit_learn_on_anything(pairs: list[tuple[float, bool]]) -> None:
    """Also with ties; with one kind of label there is none."""
    scores, labels = map(np.asarray, zip(*pairs, strict=True))
    found = float(binary.auroc(scores, labels.astype(float), np.ones(len(pairs))))
    if len(set(labels.tolist())) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(sklearn_metrics.roc_auc_score(labels, scores))


@pytest.mark.parametrize("seed", range(3))
def test_bins_are_those_of_scikit_learn(seed: int) -> None:
    """Mean score and share of yes by bin; the calibration error is the mean of their differences."""
    scores, labels, clusters = drawn(seed)
    shares, means = calibration_curve(labels, scores, n_bins=10)
    bins = reliability(scores, labels)
    assert [each.share for each in bins] == pytest.approx(shares)
    assert [each.score for each in bins] == pytest.approx(means)
    assert sum(each.n for each in bins) == len(scores)
    error = sum(each.n * abs(each.score - each.share) for each in bins) / len(scores)
    assert binary_agreement(scores, labels, clusters).calibration_error.value == pytest.approx(
        error
    )


@given(LABELLED)
@example([(1.0, True), (0.9999999999999999, False)])
def test_no_threshold_is_better_than_the_best(pairs: list[tuple[float, bool]]) -> None:
    """Of those below, between and above the scores; 0.5 where that is as good."""
    scores, labels = zip(*pairs, strict=True)
    best = best_threshold(scores, labels)
    right = [
        sum((score > each) == label for score, label in pairs) for each in (best, -1, *scores, 0.5)
    ]
    assert right[0] == max(right)
    if right[-1] == right[0]:
        assert best == 0.5


def test_weights_are_repetitions() -> None:
    """An answer of weight three counts as three answers do."""
    scores, labels, _ = (np.asarray(each, float) for each in drawn(1, 60))
    weights = np.random.default_rng(0).integers(4, size=60)
    several = np.repeat(scores, weights), np.repeat(labels, weights)
    for statistic in (binary.f1, binary.kappa, binary.auroc, binary.calibration_error):
        ones = np.ones(len(several[0]))
        assert float(statistic(scores, labels, weights.astype(float))) == pytest.approx(
            float(statistic(*several, ones))
        )


def test_intervals_are_of_whole_clusters() -> None:
    """Every answer four times over in its cluster has the interval of the answers themselves, not half of it."""
    scores, labels, _ = drawn(2, 200)
    own: list[Any] = list(range(200))
    once = binary_agreement(scores, labels, own)
    repeated = binary_agreement(scores * 4, labels * 4, own * 4)
    apart = binary_agreement(scores * 4, labels * 4, [None] * 800)
    for name in ("accuracy", "f1", "kappa", "auroc", "brier", "calibration_error"):
        widths = [
            getattr(each, name).high - getattr(each, name).low for each in (once, repeated, apart)
        ]
        assert widths[1] == pytest.approx(widths[0], rel=0.1), name
        assert widths[2] == pytest.approx(widths[0] / 2, rel=0.25), name
        estimate = getattr(once, name)
        assert estimate.low < estimate.high


def test_what_is_not_defined_is_not_a_number() -> None:
    """Labels of one kind have no AUROC and no kappa; a single cluster has no interval."""
    found = binary_agreement([0.2, 0.4], [False, False], [None, None])
    assert all(math.isnan(each.value) for each in (found.f1, found.kappa, found.auroc))
    assert found.accuracy.value == 1
    one = binary_agreement([0.2, 0.9, 0.6], [False, True, False], ["q", "q", "q"])
    assert all(each.low is None for each in (one.accuracy, one.f1, one.kappa, one.auroc, one.brier))


def test_ten_questions_that_are_all_right_prove_little() -> None:
    """Every interval has a width, also where a resample lacks one of the labels."""
    scores, labels = [0.9, 0.1] * 10, [True, False] * 10
    found = binary_agreement(scores, labels, [f"q{place // 2}" for place in range(20)])
    for each in (found.accuracy, found.f1, found.kappa, found.auroc):
        assert each.value == 1.0
        assert each.high == 1.0
        assert each.low is not None and 0.2 < each.low < 0.8  # noqa: PT018
    rare = binary_agreement(
        [0.9, 0.8, *[0.2] * 20, 0.6], [True, True, *[False] * 20, False], [None] * 23
    )
    assert rare.auroc.low is not None
