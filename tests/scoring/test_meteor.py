"""METEOR's formula on statistics that METEOR 1.5 printed, against the scores that it printed with them."""

from __future__ import annotations

import pytest

from spiqa_tasks.scoring.meteor import meteor
from spiqa_tasks.scoring.text_metrics import CorpusScore

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


def test_the_sides_are_weighed_apart() -> None:
    """Matches of prediction and reference that differ in every kind count for precision and for recall, by the paper.

    Content words weigh 0.75 and function words 0.25, on both sides; the four kinds 1, 0.6, 0.8 and 0.6.
    """
    exact, stem, synonym, paraphrase = (2, 1, 1, 2), (1, 2, 0, 1), (3, 1, 2, 0), (1, 0, 0, 1)
    precision = 0.75 * (2 + 0.6 * 1 + 0.8 * 3 + 0.6 * 1) + 0.25 * (1 + 0.6 * 0 + 0.8 * 2 + 0.6 * 0)
    recall = 0.75 * (1 + 0.6 * 2 + 0.8 * 1 + 0.6 * 0) + 0.25 * (2 + 0.6 * 1 + 0.8 * 0 + 0.6 * 1)
    precision /= 0.75 * (14 - 5) + 0.25 * 5
    recall /= 0.75 * (13 - 6) + 0.25 * 6
    mean = 1 / (0.15 / precision + 0.85 / recall)
    expected = mean * (1 - 0.6 * (4 / ((10 + 8) / 2)) ** 0.2)
    counts = (14, 13, 5, 6, *exact, *stem, *synonym, *paraphrase, 4, 10, 8)
    assert meteor([counts]).value == pytest.approx(expected)


@pytest.mark.parametrize("counts", [(0, 3, *[0] * 21), (3, 0, *[0] * 21), (0,) * 23])
def test_nothing_matched_scores_zero(counts: tuple[float, ...]) -> None:
    """An empty prediction has no precision, an empty reference no recall."""
    assert meteor([counts]) == CorpusScore(0.0, (0.0,))


@pytest.mark.parametrize("statistics", [[], [(1.0, 2.0)]])
def test_missing_counts_are_refused(statistics: list[tuple[float, ...]]) -> None:
    """No pair, or counts that are not METEOR's, are an error."""
    with pytest.raises(ValueError, match="23 counts"):
        meteor(statistics)
