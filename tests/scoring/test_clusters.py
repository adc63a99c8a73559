"""Clusters: their partition, the variance of a mean, and the bootstrap of whole clusters."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.clusters import (
    design_effect,
    groups_of,
    partition,
    resampled_weights,
    variance,
)

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=3, max_size=30))
def test_the_variance_is_that_of_the_regression_on_a_constant(
    pairs: list[tuple[float, int]],
) -> None:
    """CR2 and its degrees of freedom by the matrices of Bell and McCaffrey, with the root of
    each cluster's I - H.
    """
    scores, names = (np.array(column) for column in zip(*pairs, strict=True))
    if len(set(names)) == 1:
        return
    n = len(scores)
    residuals = scores - scores.mean()
    centred = np.eye(n) - np.full((n, n), 1 / n)
    vectors = []
    for name in set(names):
        inside = names == name
        values, axes = np.linalg.eigh(centred[np.ix_(inside, inside)])
        root = axes @ np.diag(np.where(values > 1e-9, values, np.inf) ** -0.5) @ axes.T
        vectors.append(centred[:, inside] @ (root @ np.ones(inside.sum())) / n)
    made = np.array(vectors)
    moments = np.linalg.eigvalsh(made @ made.T)
    found, freedom = variance(residuals.tolist(), groups_of(scores.tolist(), names.tolist()))
    plain = residuals @ residuals / n / (n - 1)
    assert found == pytest.approx(max(plain, ((made @ scores) ** 2).sum()), abs=1e-9)
    assert freedom == pytest.approx(moments.sum() ** 2 / (moments**2).sum())


@given(SCORES)
def test_the_design_effect_of_questions_alone_is_1(scores: list[float]) -> None:
    """Whatever their deviations and the size of the one added."""
    deviations = [score - statistics.fmean(scores) for score in scores]
    effect, freedom = design_effect(deviations, groups_of(scores, None), 0.7)
    assert (effect, freedom) == (pytest.approx(1), pytest.approx(len(scores) - 1))


def test_the_design_effect_is_a_ratio_of_variances() -> None:
    """CR2 by hand, with one deviation more in the average question's paper; its size without
    any.
    """
    deviations, groups = [1.0, 0.0, 0.0, -1 / 3, -1 / 3, -1 / 3], [[0], [1, 2], [3, 4, 5]]
    clustered = 1 / (1 - 1 / 6) + 1 / (1 - 3 / 6)
    independent = (1 + 3 / 9) * 6 / 5
    assert design_effect(deviations, groups, 1)[0] == pytest.approx(
        (clustered + 14 / 6) / (independent + 1)
    )
    assert design_effect([0.0] * 6, groups, 1)[0] == pytest.approx(14 / 6)


@given(st.lists(st.sampled_from([None, "a", "b", 0, (0,), (1,), ""]), max_size=12))
def test_a_partition_has_every_score_once(clusters: list[object]) -> None:
    """Scores of one name are together and in order, those without a name alone, whatever the
    names look like.
    """
    groups = partition(clusters)  # type: ignore[arg-type]
    assert sorted(place for places in groups for place in places) == list(range(len(clusters)))
    assert all(places == sorted(places) for places in groups)
    names = [{clusters[place] for place in places} for places in groups]
    assert all(len(name) == 1 for name in names)
    named = [name for name in names if name != {None}]
    assert len({frozenset(name) for name in named}) == len(named)
    assert all(
        len(places) == 1 for places, name in zip(groups, names, strict=True) if name == {None}
    )


def test_resampled_weights_draw_whole_clusters() -> None:
    """As many as there are, with replacement; all drawn anew, the same for the same seed."""
    clusters = ["a", "b", "a", None, None]
    weights = np.array([*resampled_weights(clusters, 4000, 3)])
    assert weights.shape == (4000, 5)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3, 4]].sum(axis=1) == 4).all()
    assert weights.mean(axis=0) == pytest.approx([1.0] * 5, abs=0.06)
    assert weights[:, 1].var() == pytest.approx(4 * 0.25 * 0.75, abs=0.05)
    assert np.array_equal(weights, [*resampled_weights(clusters, 4000, 3)])
    assert not np.array_equal(weights, [*resampled_weights(clusters, 4000, 4)])
    assert not np.array_equal(weights[:2000], weights[2000:])


@pytest.mark.parametrize("clusters", [[], ["a"], ["a", "a"], [None]])
def test_a_single_cluster_is_not_resampled(clusters: list[str | None]) -> None:
    """It shows no spread."""
    assert list(resampled_weights(clusters, 5, 0)) == []
    assert len(list(resampled_weights([*clusters, "b"], 5, 0))) == 5 * bool(clusters)
