"""Metrics of open answers in several benchmarks: text metrics and failure rates of the judge."""

import math
from collections.abc import Callable, Sequence

from spiqa_tasks.benchmarks.aggregation import RELEASED, Metric, Pairs, Value, share_of, withheld
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import RULE_OF
from spiqa_tasks.judge.rules.l3score import says_neither
from spiqa_tasks.judge.rules.rule import NEITHER_REMEDY
from spiqa_tasks.metrics.text_scores import TOKENIZER, text_scores

MOST_NEITHER = 0.05
"""Share of verdicts without yes and no above which people are warned; fit judges stay near 0."""

L3SCORE = "l3score"
Texts = Callable[[Record], Sequence[str]]
"""Record -> the predictions that a text metric scores, () without an answer."""


def metric_of(rule: str) -> str:
    """Return the metric that a rule of free answers gives. Raises InputError for any other rule."""
    metrics = {name: metric for metric, name in RULE_OF.items()}
    if (name := rule.partition(":")[0]) not in metrics:
        raise InputError(f"Expected rule to be one of {', '.join(metrics)}; found {rule!r}.")
    return metrics[name]


def prediction(record: Record) -> Sequence[str]:
    """Return the record's prediction, or () without one."""
    return () if record.prediction is None else (record.prediction,)


def text_metric(name: str, texts: Texts = prediction) -> Metric:
    """Return a metric of `metrics.text_scores`, with or without the suffix `RELEASED`, against the reference."""
    toolkit = name.removesuffix(RELEASED)

    def pairs(records: Sequence[Record]) -> Pairs:
        return [(text, record.reference) for record in whole(records) for text in texts(record)]

    def compute(records: Sequence[Record]) -> Value:
        questions = whole(records)
        answered = [record.id for record in questions if texts(record)]
        if missing := withheld(len(answered), len(questions)):
            return missing
        asked = pairs(questions)
        scores = text_scores(asked, [toolkit])
        if toolkit in scores.omitted:
            return Value(math.nan, len(answered), reason=scores.omitted[toolkit])
        items = scores.per_item.get(toolkit, ()) if len(asked) == len(answered) else ()
        by_id = dict(zip(answered, items, strict=False))  # {} if a question has several predictions
        return Value(
            float(scores.values[toolkit]),
            len(answered),
            by_id,
            missing=len(records) - len(answered),
        )

    return Metric(
        name,
        compute,
        needs="text programs",
        of_corpus=toolkit == "cider",
        pairs=pairs,
        signature=lambda: {"tokenizer": TOKENIZER},
    )


def whole(records: Sequence[Record]) -> list[Record]:
    """Return the questions all of whose documents were answered."""
    return [record for record in records if record.status != "incomplete"]


def judge_advice(records: Sequence[Record]) -> list[str]:
    """Return a remedy if more than 5% of the verdicts have neither yes nor no, or []."""
    value = _neither(records)
    if not value.n or value.value <= MOST_NEITHER:
        return []
    share = f"{value.value:.0%} of {value.n} judgements"
    return [
        f"For {share} the judge's first word was neither yes nor no, and they count as 0: {NEITHER_REMEDY}."
    ]


def _neither(records: Sequence[Record]) -> Value:
    """Return the share of verdicts with neither yes nor no among the logprobs that count."""
    judged = [
        verdict for record in records for verdict in record.verdicts if "top_logprobs" in verdict
    ]
    lists = [
        verdict["top_logprobs"]
        for verdict in judged
        if verdict["metric"].removesuffix(RELEASED) == L3SCORE
    ]
    return Value(sum(map(says_neither, lists)) / len(lists) if lists else 0.0, len(lists))


NEITHER = Metric("neither_rate", _neither, higher_is_better=False, needs="judge")
JUDGE_FAILED = share_of("judge_failed_rate", lambda record: record.judge_failed, "judge")
