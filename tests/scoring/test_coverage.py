"""When a mean is withheld."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import text_of

from spiqa_tasks.scoring.coverage import is_covered, mean_or_nan, too_few


def test_the_mean_is_withheld_below_99_percent() -> None:
    """The mean is over the scored, and NaN when more than one in a hundred is missing or there are none."""
    assert mean_or_nan([0.5, 1.0]) == 0.75
    assert mean_or_nan([1.0] * 99 + [None]) == 1.0
    assert math.isnan(mean_or_nan([1.0] * 98 + [None] * 2))
    assert math.isnan(mean_or_nan([1.0] * 98 + [None]))
    assert math.isnan(mean_or_nan([]))
    assert math.isnan(mean_or_nan([None]))


@given(st.integers(0, 400), st.integers(0, 400))
def test_enough_is_one_and_99_in_a_hundred(known: int, total: int) -> None:
    """In whole numbers, so that no rounding decides."""
    assert is_covered(known, total) == (known > 0 and 100 * known >= 99 * total)


def test_the_share_is_the_one_of_the_docs() -> None:
    """The sentence of a withheld number names the share, and docs/answers.md defines it."""
    reason = too_few(98, 100, "answers have a score")
    assert (reason, too_few(99, 100, "")) == ("98 of 100 answers have a score, fewer than 99%", "")
    assert reason.partition(", ")[2] in text_of("answers")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(0, 5))
def test_it_is_the_mean_or_nothing(scores: list[float], missing: int) -> None:
    """One in a hundred may be missing, no more; what is missing never moves the mean."""
    found = mean_or_nan([*scores, *[None] * missing])
    if missing * 99 > len(scores):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(statistics.fmean(scores))
