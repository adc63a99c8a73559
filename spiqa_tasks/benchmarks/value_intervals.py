"""95% intervals of metrics whose value is a mean over answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.scoring.clustered import clustered_stderr
from spiqa_tasks.scoring.intervals import wilson

_NORMAL_95 = 1.959963984540054


def interval(value: Value, records: Sequence[Record]) -> tuple[float, float] | None:
    """Return the 95% interval of a value over `records`; None where it is no mean over answers.

    Means over clusters (SPIQA's papers) have a clustered standard error; shares of answers have Wilson's interval.
    """
    scores = list(value.scores.values())
    if not scores or not math.isclose(value.value, sum(scores) / len(scores), abs_tol=1e-9):
        return None
    clusters = {record.id: record.cluster for record in records}
    by_answer = [clusters.get(key) for key in value.scores]
    if None in by_answer:
        return wilson(round(sum(scores)), len(scores)) if set(scores) <= {0.0, 1.0} else None
    margin = _NORMAL_95 * clustered_stderr(scores, by_answer)
    if math.isnan(margin):
        return None
    return max(0.0, value.value - margin), min(max(1.0, *scores), value.value + margin)
