"""A scored answer to a multiple-choice question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, mean_of, share_of
from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.prompting import prompt_hash
from spiqa_tasks.benchmarks.record import Record, Response, Status
from spiqa_tasks.benchmarks.signature import Signature, sign
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice

ACCURACY = mean_of("accuracy")
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


def choice_record(
    row: Mapping[str, Any], response: Response, groups: Mapping[str, str], signature: Signature
) -> Record:
    """Return the record of one answer, with its score in `accuracy`; a failed request has no score.

    Args:
        row: the question's (see `choice.rows`).
        response: the answer.
        groups: the names of the question's groups.
        signature: how it was made.
    """
    shared: dict[str, Any] = {"reference": row["answer"], "groups": groups, "signature": signature.text}
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, **shared)
    choice = extract_choice(response.text, dict(zip(row["letters"], row["options"], strict=True)))
    refused = choice.rule == "refusal"
    status: Status = "ok" if choice.letter is not None else "refused" if refused else "unparsed"
    scores = {"accuracy": float(choice.letter == row["answer"])}
    return Record(row["id"], choice.letter, status=status, rule=choice.rule, refused=refused, scores=scores, **shared)


def choice_signature(row: Mapping[str, Any], template: str, context: Context) -> Signature:
    """Return the signature of an answer; `template` is the wording of its prompt."""
    return sign(row, prompt_hash(template), context.host, matcher=MATCHER_VERSION, **dict(context.judged_by))
