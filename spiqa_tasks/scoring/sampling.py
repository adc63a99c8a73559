"""A part of many answers in which every kind has its share."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence


def stratified(kinds: Sequence[Hashable], size: int, seed: int) -> list[int]:
    """Return the places of `size` answers, in order, drawn so that each kind has its share of them, up to one answer.

    The same arguments return the same places; all places where `size` is not below their number. What rounding leaves
    over goes to the kinds that it took most from. Raises ValueError for `size` below 1.
    """
    if size < 1:
        raise ValueError(f"expected a size of at least 1, got {size}")
    if size >= len(kinds):
        return list(range(len(kinds)))
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, kind in enumerate(kinds):
        places[kind].append(place)
    shares = {kind: divmod(size * len(members), len(kinds)) for kind, members in places.items()}
    left = size - sum(whole for whole, _ in shares.values())
    more = sorted(shares, key=lambda kind: -shares[kind][1])[:left]
    generator = random.Random(seed)
    drawn = [generator.sample(members, shares[kind][0] + (kind in more)) for kind, members in places.items()]
    return sorted(place for members in drawn for place in members)
