"""The summary of a scored run: rows of values, counts of answers judged, refused and so on, and
remarks on them.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.metric import (
    NO_ANSWER,
    SCORING_FAILED,
    Metric,
    RecordSet,
    Rows,
    Value,
    metric_rows,
)
from spiqa_tasks.benchmarks.record import Record, Records
from spiqa_tasks.benchmarks.signature import Signature, merged, parse

# Share of answers of a kind from which people are warned: gains and leakages of a few points are
# as large.
MANY = 0.05
# Ids of them that a warning names.
NAMED = 3

# Kinds of answers in a remark, in its order.
_KINDS = {
    "truncated": "truncated",
    "refused": "refused",
    "unparsed": "empty or unparsed",
    "scored_unparsed": "not in the asked format and scored whole",
}

# Rate of open answers that are scored as they are, as no answer in the format was read in them.
UNFORMATTED = "unformatted_rate"

# Forms of plain files, of whose answers nobody knows whether they were asked for a format.
PLAIN = ("jsonl", "table")


def rows_of(metrics: Sequence[Metric], records: RecordSet) -> Rows:
    """Return a row per metric, the headline first, each followed by its groups."""
    rows = {
        name: row for name, row in metric_rows(metrics).items() if _has_questions(records, *row)
    }
    # A defect is shown only where there is one.
    if any(record.status == "scoring_failed" for record in records.documents):
        rows[SCORING_FAILED.name] = (SCORING_FAILED, None)
    return rows


def _has_questions(records: RecordSet, metric: Metric, group: str | None) -> bool:
    """Return whether the run answers questions of a group, or, unless it is a part, the task has
    any; True for all questions.
    """
    is_in_task = group in records.sizes and not records.partial
    return group is None or is_in_task or bool(records.members(metric, group))


def score_object(
    task: str,
    records: RecordSet,
    values: Mapping[str, Value],
    not_computed: Collection[str] = (),
    **more_counts: Any,
) -> dict[str, Any]:
    """Return the object that `score --json` prints, with the 95% interval and the number of answers
    of each row.

    Metrics that are `not_computed` have their reason in their value.
    """
    metrics: dict[str, float | None] = {}
    omitted = {}
    intervals = {}
    for name, value in values.items():
        metrics[name] = value.value
        if value.interval is not None:
            intervals[name] = list(value.interval)
        if math.isnan(value.value):
            metrics[name] = None  # JSON has no NaN
            is_withheld = name not in not_computed and value.reason != NO_ANSWER
            omitted[name] = f"withheld: {value.reason}" if is_withheld else f"{value.reason}"

    scored = {
        "task": task,
        "metrics": metrics,
        "counts": counts(records) | more_counts,
        "signature": signature_of(records).text,
    }
    if omitted:
        scored["omitted"] = omitted
    return scored | {"intervals": intervals, "n": {name: values[name].n for name in values}}


def signature_of(records: RecordSet) -> Signature:
    """Return the signature of a run: merged over its answers, with the judge as served, changes to
    its requests, and `n of N` of a part.
    """
    return merged_signature(records.documents).with_fields(
        judge_served="+".join(_of_verdicts("model", records.questions)),
        judge_adapted="; ".join(_of_verdicts("adapted", records.questions)),
        questions=records.part,
    )


def _of_verdicts(field: str, records: Records) -> list[str]:
    """Return the distinct values of a field of verdicts, sorted: the models that answered."""
    values = {verdict.get(field) for record in records for verdict in record.verdicts}
    return sorted(str(value) for value in values if value)


def merged_signature(records: Records) -> Signature:
    """Return one signature of all records; a field in which they differ has all values, `a+b`."""
    distinct = dict.fromkeys(record.signature for record in records if record.signature)
    return merged(map(parse, distinct))


def counts(records: RecordSet) -> dict[str, int]:
    """Return the number of documents, and of answers judged, refused and so on, also if values
    are withheld.
    """
    documents = records.documents
    tally = _tally(documents)
    judge_failed = sum(record.judge_failed for record in records.questions)
    numbers = {
        "docs": len(documents),
        "judged": sum(bool(record.verdicts) for record in records.questions) - judge_failed,
        "judge_failed": judge_failed,
        "refused": tally["refused"],
        "unparsed": tally["unparsed"] + tally["scored_unparsed"],
        "truncated": tally["truncated"],
        "request_failed": tally["failed"],
        "scoring_failed": sum(record.status == "scoring_failed" for record in documents),
    }
    # Only open answers can be: a count of 0 would say nothing of choices.
    if tally["scored_unparsed"]:
        numbers["scored_unparsed"] = tally["scored_unparsed"]
    return numbers


def _tally(records: Records) -> dict[str, int]:
    """Return kind -> number of answers with a defect.

    `refused`: the model would not answer, or wrote that it saw no picture. `unparsed`: nothing was
    read in what it wrote. `truncated`: cut off, read or not. `scored_unparsed`: no answer was read
    in what it wrote, so that all of it was scored.
    """
    unformatted = sum(record.scored_unparsed for record in records)
    if unformatted and parse(records[0].signature).predictions in PLAIN:
        unformatted = 0
    return {
        "refused": sum(record.refused for record in records),
        "unparsed": sum(record.unparsed for record in records),
        "failed": sum(record.status == "request_failed" for record in records),
        "truncated": sum(bool(record.truncated) for record in records),
        "scored_unparsed": unformatted,
    }


def shares(records: Records) -> dict[str, Any]:
    """Return `n`, at least 1, and kind -> share of the records; `truncated` is None if no host says
    of any whether it was cut off.
    """
    n = len(records)
    result: dict[str, Any] = {"n": n}
    result |= {kind: count / n for kind, count in _tally(records).items()}
    if all(record.truncated is None for record in records):
        result["truncated"] = None
    return result


def remark_on_answers(records: Records) -> str:
    """Return the numbers of unusable or cut answers, if at least 5% are of a kind, or ''.

    Refused and unparsed are one kind.
    """
    tally = _tally(records)
    most = max(tally["refused"] + tally["unparsed"], tally["truncated"], tally["scored_unparsed"])
    if not most or most / len(records) < MANY:
        return ""
    counts = [f"{tally[kind]} {words}" for kind, words in _KINDS.items() if tally[kind]]
    return f"of {len(records)} answers {', '.join(counts)}"


def _is_no_answer(record: Record) -> bool:
    """Return whether an answer is among those that a remark counts."""
    tally = _tally([record])
    return any(tally[kind] for kind in _KINDS)


def remarks_on(benchmark: Benchmark, records: Records) -> list[str]:
    """Return the warnings about a run's records: the benchmark's own, and on unusable answers."""
    remarks = benchmark.remarks(records)
    if remark := remark_on_answers(records):
        first = ", ".join(record.id for record in islice(filter(_is_no_answer, records), NAMED))
        remedy = f"Read some before you trust the values, such as {first}."
        if any(record.truncated for record in records):
            remedy = f"{remedy} Raise max_new_tokens for those that are cut off."
        remarks = [*remarks, f"{remark[0].upper()}{remark[1:]}. {remedy}"]
    return remarks
