"""Hooks must not raise: the host would then write no results and no model answers, of no task of the run."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

logger = logging.getLogger("spiqa_tasks")

Records = dict[str, dict[str, Any]]


def keeps_answers(process_results: Callable[[Mapping[str, Any], Sequence[str]], Records]) -> Callable[..., Records]:
    """A `process_results` whose failure becomes a record of its own metric, `scoring_failed_rate`, with the reason."""

    @functools.wraps(process_results)
    def guarded(doc: Mapping[str, Any], results: Sequence[str]) -> Records:
        try:
            return process_results(doc, results)
        except Exception as error:
            logger.exception("Question %s could not be scored; its answer is kept in the samples file.", doc["id"])
            return {"scoring_failed_rate": {"id": doc["id"], "score": 1.0, "reason": repr(error)}}

    return guarded


def withholds(aggregation: Callable[[Sequence[Any]], float]) -> Callable[[Sequence[Any]], float]:
    """An aggregation whose failure withholds the number (NaN) instead of ending the run."""

    @functools.wraps(aggregation)
    def guarded(records: Sequence[Any]) -> float:
        try:
            return aggregation(records)
        except Exception:
            logger.exception("A metric could not be computed and is withheld; score the samples file again.")
            return math.nan

    return guarded
