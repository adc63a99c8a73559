"""Bins of equal count."""

from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.binning import bin_index, quantile_bins


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(1, 8))
def test_every_value_is_in_exactly_one_bin(values: list[int], count: int) -> None:
    """Bins are in order, do not overlap, and the one that is found holds the value."""
    bins = quantile_bins(values, count)
    assert 1 <= len(bins) <= count
    for value in values:
        assert [low <= value <= high for low, high in bins].count(True) == 1
        low, high = bins[bin_index(value, bins)]
        assert low <= value <= high


@given(st.lists(st.floats(0, 1e6), min_size=1, unique=True), st.integers(1, 8))
def test_counts_of_different_values_are_about_equal(values: list[float], count: int) -> None:
    """Where no two values are equal, bins hold the whole number below or above their share, or
    one value more.
    """
    held = [
        sum(low <= value <= high for value in values) for low, high in quantile_bins(values, count)
    ]
    assert len(held) == min(count, len(values))
    assert max(held) - min(held) <= 2


def test_bins_hold_equal_counts() -> None:
    """Ten different values in five bins are two each; equal values share a bin."""
    assert quantile_bins(range(10), 5) == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    assert quantile_bins([3, 3, 3, 3], 2) == [(3, 3)]
    assert quantile_bins([], 3) == []
