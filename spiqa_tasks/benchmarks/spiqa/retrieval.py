"""Retrieval accuracy: whether the image that a chain of thought names is one that the answer needs (section 3.1).

The number of an image means one of the figures in the order in which the model saw them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_of
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.scoring.coverage import is_covered

RETRIEVAL = "retrieval_accuracy"


def retrieval_score(metric: str, image: int | None, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the score of the image that an answer names, by its metric; none where nobody knows the figures shown."""
    return {metric: float(image in row["referred"])} if row["figures"] else {}


def retrieval_metric(name: str) -> Metric:
    """Return the mean of that score, withheld where the order of the figures is not known for more than 1%."""

    def compute(records: Sequence[Record]) -> Value:
        unknown = sum(map(_has_unknown_order, records))
        if unknown and not is_covered(len(records) - unknown, len(records)):
            reason = f"the order of the figures that the model saw is not known for {unknown} of {len(records)} answers"
            return Value(math.nan, len(records) - unknown, reason=reason)
        return mean_of(name).compute(records)

    return Metric(name, compute)


def order_advice(records: Sequence[Record]) -> list[str]:
    """Return what to do where nobody knows which figure the number of an image means, else nothing."""
    unknown = sum("image" in record.details and _has_unknown_order(record) for record in records)
    if not unknown:
        return []
    return [
        f"The figures that the model saw, in their order, are not known for {unknown} of {len(records)} answers, which "
        "have no retrieval accuracy. Add a column of their file names, called figures, or name it with --columns "
        "figures=COLUMN."
    ]


def _has_unknown_order(record: Record) -> bool:
    return record.prediction is not None and not record.details.get("figures")
