"""How records become a metric: means over the records that have a score, withheld when too many have none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

MINIMUM_SCORED = 0.99
"""A number over fewer than this share of its questions is withheld (NaN): failures are not a random sample."""


def mean(records: Sequence[Mapping[str, Any]]) -> float:
    """The mean of the records' `score`; a record without one (a failed request or judgement) is left out.

    Returns:
        The mean, or NaN when fewer than 99% of the records have a score.
    """
    scores: list[float] = [record["score"] for record in records if "score" in record]
    if not scores or len(scores) < MINIMUM_SCORED * len(records):
        return math.nan
    return sum(scores) / len(scores)
