"""The summary of a scored run: rows of values, and counts of answers judged, refused and so on."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spiqa_tasks.benchmarks.aggregation import NO_ANSWER, SCORING_FAILED, Metric, RecordSet, Value
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.outcomes import taken_whole
from spiqa_tasks.benchmarks.record import MARKS, Record
from spiqa_tasks.benchmarks.signature import Signature, merged, parse

Rows = Mapping[str, tuple[Metric, str | None]]
"""Row, `metric` or `metric/group` -> (metric, group or None)."""

UNFORMATTED = "unformatted_rate"
COUNTED = {
    "unparsed_rate": "unparsed",
    UNFORMATTED: "unparsed",
    "truncated_rate": "truncated",
    "request_failed_rate": "request_failed",
}
"""Rate -> name of its count in `score --json`."""


def rows_of(benchmark: Benchmark, settings: Any, metrics: Sequence[Metric], records: RecordSet) -> Rows:
    """Return a row per metric, the headline first, each followed by its groups in the host's table."""
    rows: dict[str, tuple[Metric, str | None]] = {}
    grouped = [name.partition("/") for name in benchmark.rows_of_table(settings) if "/" in name]
    for metric in metrics:
        rows[metric.name] = (metric, None)
        for owner, _, group in grouped:
            known = records.members(metric, group) or (not records.partial and records.size(metric, group))
            if owner == metric.name and known:
                rows[f"{owner}/{group}"] = (metric, group)
    if any(record.status == "scoring_failed" for record in records.documents):
        rows[SCORING_FAILED.name] = (SCORING_FAILED, None)
    return rows


def score_object(
    task: str,
    records: RecordSet,
    values: Mapping[str, Value],
    metrics: Sequence[Metric],
    not_computed: Collection[str] = (),
    **more_counts: Any,
) -> dict[str, Any]:
    """Return the object that `score --json` prints; `metrics` are those of the task, whose rates become counts."""
    bare = {*not_computed, *(name for name, value in values.items() if value.reason == NO_ANSWER)}
    absent = {name: value.reason for name, value in values.items() if math.isnan(value.value)}
    reasons = {name: f"{'' if name in bare else 'withheld: '}{reason}" for name, reason in absent.items()}
    return {
        "task": task,
        "metrics": {name: None if math.isnan(value.value) else value.value for name, value in values.items()},
        "counts": counts(records, [metric for metric in metrics if metric.name in values]) | more_counts,
        "signature": signature_of(records).text,
        **({"omitted": reasons} if reasons else {}),
    }


def intervals(values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the 95% interval and the number of answers of each row."""
    known = {name: list(value.interval) for name, value in values.items() if value.interval is not None}
    return {"intervals": known, "n": {name: value.n for name, value in values.items()}}


def signature_of(records: RecordSet) -> Signature:
    """Return the signature of a run: merged over its answers, with the judge as served and `n of N` of a part."""
    models = {str(verdict["model"]) for r in records.questions for verdict in r.verdicts if verdict.get("model")}
    made = merged_signature(records.documents)
    return made.with_fields(judge_served="+".join(sorted(models)), questions=records.part)


def merged_signature(records: Sequence[Record]) -> Signature:
    """Return the merged signature of records."""
    return merged(parse(record.signature) for record in records if record.signature)


def counts(records: RecordSet, metrics: Sequence[Metric]) -> dict[str, int]:
    """Return the number of documents, and of answers judged, refused and so on, also if values are withheld."""
    documents, questions = records.documents, records.questions
    counted = {
        "docs": len(documents),
        "judged": sum(bool(record.verdicts) and not record.judge_failed for record in questions),
        "judge_failed": sum(record.judge_failed for record in questions),
        "refused": sum(record.refused for record in documents),
        "unparsed": 0,
        "scoring_failed": sum(record.status == "scoring_failed" for record in documents),
    }
    for mark, name in MARKS.items():
        if marked := sum(any(verdict.get(mark) for verdict in record.verdicts) for record in questions):
            counted[name] = marked
    if whole := taken_whole(documents):
        counted["taken_whole"] = whole
    there = replace(records, partial=True)
    for metric in metrics:
        if count := COUNTED.get(metric.name):
            counted[count] = counted.get(count, 0) + int(sum(there.value(metric).scores.values()))
    return counted
