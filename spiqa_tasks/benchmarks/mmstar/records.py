"""A scored answer of MMStar: by our matcher, and by the authors' four rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, mean_of
from spiqa_tasks.benchmarks.choice.records import (
    ACCURACY,
    FAILURE_RATES,
    TRUNCATED_RATE,
    choice_record,
    choice_signature,
)
from spiqa_tasks.benchmarks.choice.rows import slug
from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.mmstar.prompts import is_few_shot, template
from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.mmstar.shots import own_answer
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.scoring.mcq import released_match

CATEGORIES = (
    *("coarse_perception", "fine-grained_perception", "instance_reasoning"),
    *("logical_reasoning", "science_technology", "math"),
)
"""The six core capabilities (paper section 4.2)."""


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one answer, in the groups of its core capability and its detailed axis."""
    if is_few_shot(row):
        response = dataclasses.replace(response, text=own_answer(response.text))
    groups = {"category": slug(row["category"]), "subcategory": slug(row["subcategory"])}
    found = choice_record(row, response, groups, choice_signature(row, template(row), context))
    if response.failure is not None:
        return found
    return found.with_scores({"accuracy_released": float(released_match(response.text, row["answer"]))})


def metrics(_settings: MMStarSettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    return (ACCURACY, mean_of("accuracy_released"), *FAILURE_RATES, TRUNCATED_RATE)


def table(settings: MMStarSettings) -> list[str]:
    """Return the rows of the host's table: overall, the six capabilities, the authors' rules, the failure rates."""
    headline, *others = (metric.name for metric in metrics(settings) if metric is not TRUNCATED_RATE)
    return [headline, *(f"{headline}/{category}" for category in CATEGORIES), *others]
