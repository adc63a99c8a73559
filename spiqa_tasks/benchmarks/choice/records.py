"""A scored answer to a multiple-choice question."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_of, mean_value, share_of
from spiqa_tasks.benchmarks.record import Record, Response, Status
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice

OPTIONS = "options"
"""The detail of a record that says how many options its question has."""
ACCURACY = dataclasses.replace(mean_of("accuracy"), signature=lambda: {"matcher": MATCHER_VERSION})
"""The share of answers whose letter, found by `extract_choice`, is the true one."""

FAILURE_RATES: tuple[Metric, ...] = (
    share_of("refusal_rate", lambda record: record.refused),
    share_of(
        "unparsed_rate",
        lambda record: record.prediction is None and not record.refused and record.status != "request_failed",
    ),
    share_of("request_failed_rate", lambda record: record.status == "request_failed"),
)
"""The shares of answers without a letter: refused, without one for any other reason, not there."""


def _truncated_rate(records: Sequence[Record]) -> Value:
    told = {r.id: float(r.details["truncated"]) if "truncated" in r.details else None for r in records}
    return mean_value(told) if set(told.values()) - {None} else Value(math.nan, 0)  # the host tells no lengths


TRUNCATED_RATE = Metric("truncated_rate", _truncated_rate, higher_is_better=False)
"""The share of answers that ended at the limit of generated tokens; no row of the host's table."""


def truncation_remark(records: Sequence[Record]) -> list[str]:
    """Return what is to be said of a run in which answers ended at the limit of generated tokens."""
    cut = sum(record.details.get("truncated", False) for record in records)
    if not cut:
        return []
    return [
        f"truncated_rate {cut / len(records):.4f}: {cut} of {len(records)} answers ended at the limit of generated "
        "tokens, perhaps before their letter. Raise max_new_tokens with --gen_kwargs."
    ]


def choice_record(
    row: Mapping[str, Any], response: Response, groups: Mapping[str, str], signature: str, **details: Any
) -> Record:
    """Return the record of one answer, with its score in `accuracy`; a failed request has no score.

    Args:
        row: the question's (see `choice.rows`).
        response: the answer.
        groups: the names of the question's groups.
        signature: how it was made.
        details: of the record, beside the number of options and whether the answer was truncated.
    """
    shared: dict[str, Any] = {"reference": row["answer"], "groups": groups, "signature": signature}
    told = {} if response.failure is not None or response.truncated is None else {"truncated": response.truncated}
    shared["details"] = {OPTIONS: len(row["letters"]), **told, **details}
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, **shared)
    choice = extract_choice(response.text, dict(zip(row["letters"], row["options"], strict=True)))
    refused = choice.rule == "refusal"
    status: Status = "ok" if choice.letter is not None else "refused" if refused else "unparsed"
    scores = {"accuracy": float(choice.letter == row["answer"])}
    return Record(row["id"], choice.letter, status=status, rule=choice.rule, refused=refused, scores=scores, **shared)
