"""The paper's thresholds, for its numbers of models and for others."""

import pytest

from spiqa_tasks.scoring.filtering import difficulty, is_abnormal, is_hit_by_most, keeps_at_most


def test_two_of_eight_inspectors_may_hit() -> None:
    """The threshold scales with the number of inspectors and is rounded down."""
    assert [keeps_at_most(models) for models in (1, 3, 4, 8, 16, 25)] == [0, 0, 1, 2, 4, 6]


def test_six_of_eight_hits_are_abnormal() -> None:
    """Abnormal is at least 75%, however many inspectors there are."""
    assert [hits for hits in range(9) if is_abnormal(hits, 8)] == [6, 7, 8]
    assert [hits for hits in range(6) if is_abnormal(hits, 5)] == [4, 5]


def test_half_of_the_models_are_not_most() -> None:
    """More than half must hit."""
    assert [hits for hits in range(5) if is_hit_by_most(hits, 4)] == [3, 4]
    assert [hits for hits in range(4) if is_hit_by_most(hits, 3)] == [2, 3]


def test_difficulties_of_sixteen_models() -> None:
    """Easy 12-16, moderate 8-11, hard 4-7, tough 0-3."""
    names = [difficulty(hits, 16) for hits in range(17)]
    assert names == ["tough"] * 4 + ["hard"] * 4 + ["moderate"] * 4 + ["easy"] * 5


def test_difficulties_scale() -> None:
    """With four models every quarter is a level."""
    assert [difficulty(hits, 4) for hits in range(5)] == ["tough", "hard", "moderate", "easy", "easy"]
    assert [difficulty(hits, 1) for hits in range(2)] == ["tough", "easy"]
    assert [difficulty(hits, 23) for hits in (17, 18)] == ["moderate", "easy"]


@pytest.mark.parametrize(("hits", "models"), [(3, 2), (-1, 2), (0, 0)])
def test_impossible_hits_have_no_difficulty(hits: int, models: int) -> None:
    """More hits than models, fewer than none, or no model at all are errors."""
    with pytest.raises(ValueError, match=f"^expected 0 <= hits <= models and models > 0, got {hits} of {models}$"):
        difficulty(hits, models)
