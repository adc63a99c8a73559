"""METEOR's formula on statistics that METEOR 1.5 printed, against the scores that it printed with them."""

from __future__ import annotations

import pytest

from spiqa_tasks.scoring.meteor import meteor

# "the cat sat on the mat" and "a cat is sitting on it", "models attend" and "the model attends", "x" and "x"
PRINTED = (
    (6, 6, 3, 4, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 3, 3),
    (2, 3, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 2, 3),
    (1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1),
)


def test_segments_and_corpus_equal_what_the_program_printed() -> None:
    """Three segments and their corpus score, in which perfect matches add no chunk."""
    scores = meteor(PRINTED)
    assert scores.per_item == pytest.approx((0.27758306989419085, 0.5999999999999999, 1.0), abs=1e-15)
    assert scores.value == pytest.approx(0.3524769792836724, abs=1e-15)


def test_nothing_matched_scores_zero() -> None:
    """An empty prediction has no precision."""
    assert meteor([(0, 3, *[0] * 21)]).value == 0.0


@pytest.mark.parametrize("statistics", [[], [(1.0, 2.0)]])
def test_missing_counts_are_refused(statistics: list[tuple[float, ...]]) -> None:
    """No pair, or counts that are not METEOR's, are an error."""
    with pytest.raises(ValueError, match="23 counts"):
        meteor(statistics)
