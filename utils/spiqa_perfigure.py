"""What only the SPIQA YAMLs call that show one figure at a time: aggregations that join documents per question."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from spiqa_tasks.benchmarks import perfigure_scores
from spiqa_tasks.judge.l3 import L3Judge

from .guard import withholds
from .judging import judge_of_environment

Records = Sequence[dict[str, Any]]

_verdicts: perfigure_scores.Verdicts = {}


def _judging(score: Callable[[Records, L3Judge, perfigure_scores.Verdicts], float]) -> Callable[[Records], float]:
    """An aggregation that asks the environment's judge; NaN where there is none."""

    def judged(records: Records) -> float:
        judge = judge_of_environment()
        return math.nan if judge is None else score(records, judge, _verdicts)

    return withholds(judged)


l3score = _judging(perfigure_scores.l3score)
l3score_released = _judging(perfigure_scores.l3score_released)
judge_failures = _judging(perfigure_scores.judge_failed_rate)
text = withholds(perfigure_scores.text_score)
text_released = withholds(perfigure_scores.text_score_released)
incomplete = withholds(perfigure_scores.incomplete_rate)
unhelpful = withholds(perfigure_scores.unhelpful_rate)
