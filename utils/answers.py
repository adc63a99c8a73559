"""Hooks of the YAMLs for answers: records to log, and metrics of them.

They never raise: the host would lose the results and answers of every task of the run.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.hosts.lmms_eval.batch_scoring import (
    LoggedRecord,
    logged_values,
    record_of,
    scorer_of,
)

logger = logging.getLogger("spiqa_tasks")


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Return one entry per row of the table; the first holds the whole record."""
    task = (doc["benchmark"], doc["settings"])
    scorer = scorer_of(*task)
    try:
        record = record_of(doc, results)
    except Exception as error:
        logger.exception(
            "Question %s could not be scored; its answer is kept in the samples file.", doc["id"]
        )
        record = Record(str(doc["id"]), status="scoring_failed", reason=repr(error))
    return logged_values(record, scorer, task)


def aggregate(entries: Sequence[LoggedRecord]) -> float:
    """Return the value of the entries' metric in natural units; NaN if withheld."""
    first = entries[0]
    try:
        scorer = scorer_of(*first.task)
        value = scorer.value(first.metric, [entry.record for entry in entries])
    except Exception:
        logger.exception(
            "%s could not be computed and is withheld; score the samples file again.", first.metric
        )
        return math.nan
    if value.reason is not None and "/" not in first.metric:
        logger.warning("%s of %s is withheld: %s.", first.metric, first.task[0], value.reason)
    return value.value
