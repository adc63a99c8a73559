"""How records become a metric: means over the records that have a score, withheld when too many have none."""

from __future__ import annotations

import math
from collections.abc import Mapping, MutableMapping, Sequence
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


def judge_failures(records: Sequence[MutableMapping[str, Any]]) -> float:
    """The share of answers that could not be judged; gives each record its own `score`, 1 where it is one of them."""
    for record in records:
        record.setdefault("score", float(record.get("status") == "judge_failed"))
    return mean(records)
