"""A part of many answers has every kind's share."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.sampling import stratified

KINDS = st.lists(st.sampled_from("aabc"), min_size=1, max_size=60)


@given(KINDS, st.integers(1, 70), st.integers(0, 3))
def test_every_kind_has_its_share_up_to_one(kinds: list[str], size: int, seed: int) -> None:
    """The places are in order, each once, as many as asked for, and the same every time."""
    places = stratified(kinds, size, seed)
    assert places == sorted(set(places)) == stratified(kinds, size, seed)
    assert len(places) == min(size, len(kinds))
    counts = Counter(kinds[place] for place in places)
    for kind, number in Counter(kinds).items():
        assert abs(counts[kind] - number * len(places) / len(kinds)) < 1


def test_another_seed_draws_another_part() -> None:
    """Of equal kinds; none at all is refused."""
    assert stratified("a" * 100, 10, 0) != stratified("a" * 100, 10, 1)
    with pytest.raises(ValueError, match="at least 1"):
        stratified("ab", 0, 0)
