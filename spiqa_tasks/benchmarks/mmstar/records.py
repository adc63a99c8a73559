"""A scored answer of MMStar: by our matcher, by the authors' four rules, and as VLMEvalKit does without a judge."""

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
from spiqa_tasks.scoring.mcq.vlmevalkit import vlmevalkit_match

CATEGORIES = (
    *("coarse_perception", "fine-grained_perception", "instance_reasoning"),
    *("logical_reasoning", "science_technology", "math"),
)
"""The six core capabilities (paper section 4.2)."""


VLMEVALKIT = mean_of("accuracy_vlmevalkit")
"""The share of answers that VLMEvalKit's `exact_matching` counts as right; no row of the host's table."""
MISSING = frozenset(("", "#N/A", "N/A", "NA", "<NA>", "NULL", "null", "NaN", "nan", "None", "n/a"))
"""Texts of options that VLMEvalKit loses as it reads its tables."""


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one answer, in the groups of its core capability and its detailed axis."""
    if is_few_shot(row):
        response = dataclasses.replace(response, text=own_answer(response.text))
    groups = {"category": slug(row["category"]), "subcategory": slug(row["subcategory"])}
    found = choice_record(row, response, groups, choice_signature(row, template(row), context))
    if response.failure is not None:
        return found
    scores = {
        "accuracy_released": released_match(response.text, row["answer"]),
        VLMEVALKIT.name: vlmevalkit_match(response.text, _columns(row)) == row["answer"],
    }
    return found.with_scores({name: float(score) for name, score in scores.items()})


def metrics(_settings: MMStarSettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    return (ACCURACY, mean_of("accuracy_released"), *FAILURE_RATES, VLMEVALKIT, TRUNCATED_RATE)


def table(settings: MMStarSettings) -> list[str]:
    """Return the rows of the host's table: overall, the six capabilities, the authors' rules, the failure rates."""
    headline, *others = (metric.name for metric in metrics(settings) if metric not in (VLMEVALKIT, TRUNCATED_RATE))
    return [headline, *(f"{headline}/{category}" for category in CATEGORIES), *others]


def _columns(row: Mapping[str, Any]) -> dict[str, str]:
    """The options as VLMEvalKit has them: one whose text pandas takes for a missing value is none."""
    options = zip(row["letters"], row["options"], strict=True)
    return {letter: text for letter, text in options if text not in MISSING}
