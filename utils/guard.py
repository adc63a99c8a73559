"""Hooks must not raise: the host would then write no results and no model answers, of no task of the run."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

logger = logging.getLogger("spiqa_tasks")

Records = dict[str, dict[str, Any]]


ProcessResults = Callable[[Mapping[str, Any], Sequence[str]], Records]


def keeps_answers(*headlines: str) -> Callable[[ProcessResults], ProcessResults]:
    """Makes a `process_results` whose failure becomes records without a score, with the reason.

    There is one for each metric of `headlines`, so that more than 1% of failures withhold it, and one for
    `scoring_failed_count`.
    """

    def decorate(process_results: ProcessResults) -> ProcessResults:
        @functools.wraps(process_results)
        def guarded(doc: Mapping[str, Any], results: Sequence[str]) -> Records:
            try:
                return process_results(doc, results)
            except Exception as error:
                logger.exception("Question %s could not be scored; its answer is kept in the samples file.", doc["id"])
                record = {"id": doc["id"], "status": "scoring_failed", "reason": repr(error)}
                return {name: dict(record) for name in (*headlines, "scoring_failed_count")}

        return guarded

    return decorate


def failures(records: Sequence[Any]) -> float:
    """How many answers could not be scored: each has a record, the others have none."""
    return float(len(records))


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
