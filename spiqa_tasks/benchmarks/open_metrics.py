"""The metrics that open answers have in several benchmarks: those of texts, and what went wrong with the judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from spiqa_tasks.benchmarks.aggregation import RELEASED, Metric, Pairs, Value, share_of, withheld
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.judge.rules.l3score import NEITHER_REMEDY, says_neither
from spiqa_tasks.metrics.text_scores import text_scores, tokenizer_name

MOST_NEITHER = 0.05
"""Largest share of judgements without yes and no of which nothing is said."""

L3SCORE = "l3score"
Texts = Callable[[Record], Sequence[str]]
"""The predictions of a record that a text metric is over."""


def prediction(record: Record) -> Sequence[str]:
    """Return a record's prediction; nothing where it has no answer."""
    return () if record.prediction is None else (record.prediction,)


def text_metric(name: str, texts: Texts = prediction) -> Metric:
    """Return a text metric over the predictions that `texts` takes from a record, against the record's reference.

    Args:
        name: the metric's, that of `metrics.text_scores` with or without `RELEASED`.
        texts: gives none where the record has no answer.
    """
    toolkit = name.removesuffix(RELEASED)

    def pairs(records: Sequence[Record]) -> Pairs:
        return [(text, record.reference) for record in whole(records) for text in texts(record)]

    def compute(records: Sequence[Record]) -> Value:
        questions = whole(records)
        answered = [record.id for record in questions if texts(record)]
        missing = withheld(len(answered), len(questions))
        if missing is not None:
            return missing
        asked = pairs(questions)
        scores = text_scores(asked, [toolkit])
        if toolkit in scores.omitted:
            return Value(math.nan, len(answered), reason=scores.omitted[toolkit])
        items = scores.per_item.get(toolkit, ()) if len(asked) == len(answered) else ()
        told = dict(zip(answered, items, strict=False))
        return Value(float(scores.values[toolkit]), len(answered), told, missing=len(records) - len(answered))

    return Metric(
        name,
        compute,
        needs="text programs",
        of_corpus=toolkit == "cider",
        pairs=pairs,
        signature=lambda: {"tokenizer": tokenizer_name()},
    )


def whole(records: Sequence[Record]) -> list[Record]:
    """Return the questions whose documents are all there; questions that are one document always are."""
    return [record for record in records if not is_incomplete(record)]


def is_incomplete(record: Record) -> bool:
    """Return whether a question's documents are not all there."""
    return record.status == "incomplete"


def judge_advice(records: Sequence[Record]) -> list[str]:
    """Return what to do, where the judge said neither yes nor no first for more than 5% of what it judged."""
    value = _neither(records)
    if not value.n or value.value <= MOST_NEITHER:
        return []
    return [
        f"For {value.value:.0%} of {value.n} judgements the judge's first word was neither yes nor no, and they count "
        f"as 0: {NEITHER_REMEDY}."
    ]


def _neither(records: Sequence[Record]) -> Value:
    """The share of judgements with neither yes nor no among the log-probabilities that count."""
    judged = [verdict for record in records for verdict in record.verdicts if "top_logprobs" in verdict]
    told = [verdict["top_logprobs"] for verdict in judged if verdict["metric"].removesuffix(RELEASED) == L3SCORE]
    return Value(sum(map(says_neither, told)) / len(told) if told else 0.0, len(told))


NEITHER = Metric("neither_rate", _neither, higher_is_better=False, needs="judge")
JUDGE_FAILED = share_of("judge_failed_rate", lambda record: record.judge_failed, "judge")
