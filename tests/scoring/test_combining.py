"""Several judges' scores as one, and how far they lie apart."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.combining import combined, spread

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=9)


@given(SCORES)
def test_the_mean_is_the_mean_and_the_majority_decides(scores: list[float]) -> None:
    """As many for yes as for no decide nothing."""
    assert combined(scores, "mean") == pytest.approx(statistics.fmean(scores))
    ayes = sum(score > 0.5 for score in scores)
    noes = len(scores) - ayes
    assert combined(scores, "majority") == (1.0 if ayes > noes else 0.0 if noes > ayes else 0.5)


def test_a_judge_that_failed_leaves_the_answer_without_a_score() -> None:
    """What is missing is not taken for a verdict."""
    assert combined([0.9, None], "mean") is None
    assert combined([0.9, None, 1.0], "majority") is None
    with pytest.raises(ValueError, match="at least one"):
        combined([], "mean")


def test_how_far_scores_lie_apart() -> None:
    """The highest less the lowest, of those that there are."""
    assert spread([0.25, None, 0.75, 0.5]) == 0.5
    assert spread([0.25, None]) == spread([]) == 0
