"""How records become a metric: means over the records that have a score, withheld when too many have none."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from spiqa_tasks.scoring.withholding import MINIMUM_SCORED as MINIMUM_SCORED
from spiqa_tasks.scoring.withholding import mean_or_nan


def mean(records: Sequence[Mapping[str, Any]]) -> float:
    """The mean of the records' `score`; a record without one (a failed request or judgement) is left out.

    Returns:
        The mean, or NaN when fewer than 99% of the records have a score.
    """
    return mean_or_nan([record.get("score") for record in records])


def judge_failures(records: Sequence[MutableMapping[str, Any]]) -> float:
    """The share of answers that could not be judged; gives each record its own `score`, 1 where it is one of them."""
    for record in records:
        record.setdefault("score", float(record.get("status") == "judge_failed"))
    return mean(records)
