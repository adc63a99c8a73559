"""The summary of a scored run: rows of values, counts of answers judged, refused and so on, and
remarks on them.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.metric import NO_ANSWER, SCORING_FAILED, Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import MARKS, Record
from spiqa_tasks.benchmarks.signature import Signature, merged, parse

# Share of answers of a kind from which they are said: gains and leakages of a few points are as
# large.
MANY = 0.05

# Row, `metric` or `metric/group` -> (metric, group or None).
Rows = Mapping[str, tuple[Metric, str | None]]

UNFORMATTED = "unformatted_rate"

# Rate -> name of its count in `score --json`.
COUNTED = {
    "unparsed_rate": "unparsed",
    UNFORMATTED: "unparsed",
    "truncated_rate": "truncated",
    "request_failed_rate": "request_failed",
}


def rows_of(
    benchmark: Benchmark, settings: Any, metrics: Sequence[Metric], records: RecordSet
) -> Rows:
    """Return a row per metric, the headline first, each followed by its groups in the host's
    table.
    """
    rows: dict[str, tuple[Metric, str | None]] = {}
    for metric in metrics:
        rows[metric.name] = (metric, None)
        for row in benchmark.rows_of_table(settings):
            owner, _, group = row.partition("/")
            if group and owner == metric.name and _has_questions(records, metric, group):
                rows[row] = (metric, group)
    if any(record.status == "scoring_failed" for record in records.documents):
        rows[SCORING_FAILED.name] = (SCORING_FAILED, None)
    return rows


def _has_questions(records: RecordSet, metric: Metric, group: str) -> bool:
    """Return whether the run answers questions of a group, or, unless it is a part, the task has
    any.
    """
    if records.members(metric, group):
        return True
    return not records.partial and records.size(metric, group) > 0


def score_object(
    task: str,
    records: RecordSet,
    values: Mapping[str, Value],
    metrics: Sequence[Metric],
    not_computed: Collection[str] = (),
    **more_counts: Any,
) -> dict[str, Any]:
    """Return the object that `score --json` prints.

    `metrics` are those of the task, whose rates become counts.
    """
    metrics_of_values = [metric for metric in metrics if metric.name in values]
    scored = {
        "task": task,
        "metrics": {name: _or_none(value.value) for name, value in values.items()},
        "counts": counts(records, metrics_of_values) | more_counts,
        "signature": signature_of(records).text,
    }
    if omitted := _omitted(values, not_computed):
        scored["omitted"] = omitted
    return scored


def _or_none(value: float) -> float | None:
    """Return None for NaN, which JSON lacks."""
    return None if math.isnan(value) else value


def _omitted(values: Mapping[str, Value], not_computed: Collection[str]) -> dict[str, str]:
    """Return row -> why it has no value."""
    omitted = {}
    for name, value in values.items():
        if math.isnan(value.value):
            is_withheld = name not in not_computed and value.reason != NO_ANSWER
            omitted[name] = f"withheld: {value.reason}" if is_withheld else f"{value.reason}"
    return omitted


def intervals(values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the 95% interval and the number of answers of each row."""
    known = {
        name: list(value.interval) for name, value in values.items() if value.interval is not None
    }
    return {"intervals": known, "n": {name: value.n for name, value in values.items()}}


def signature_of(records: RecordSet) -> Signature:
    """Return the signature of a run: merged over its answers, with the judge as served and `n of
    N` of a part.
    """
    models = set()
    for record in records.questions:
        for verdict in record.verdicts:
            if verdict.get("model"):
                models.add(str(verdict["model"]))
    signature = merged_signature(records.documents)
    return signature.with_fields(judge_served="+".join(sorted(models)), questions=records.part)


def merged_signature(records: Sequence[Record]) -> Signature:
    """Return the merged signature of records."""
    distinct = dict.fromkeys(record.signature for record in records if record.signature)
    return merged(map(parse, distinct))


def counts(records: RecordSet, metrics: Sequence[Metric]) -> dict[str, int]:
    """Return the number of documents, and of answers judged, refused and so on, also if values
    are withheld.
    """
    documents = records.documents
    numbers = {
        "docs": len(documents),
        **_counted_verdicts(records.questions),
        "refused": sum(record.refused for record in documents),
        "unparsed": 0,
        "scoring_failed": sum(record.status == "scoring_failed" for record in documents),
        "taken_whole": taken_whole(documents),
    }
    for name, number in _counted_rates(records, metrics):
        numbers[name] = numbers.get(name, 0) + number

    # What few runs have is named only where there is any.
    rare = {*MARKS.values(), "taken_whole"}
    return {name: number for name, number in numbers.items() if number or name not in rare}


def _counted_verdicts(questions: Sequence[Record]) -> dict[str, int]:
    numbers = {
        "judged": sum(bool(record.verdicts) and not record.judge_failed for record in questions),
        "judge_failed": sum(record.judge_failed for record in questions),
    }
    for mark, name in MARKS.items():
        numbers[name] = sum(_has_mark(record, mark) for record in questions)
    return numbers


def _counted_rates(records: RecordSet, metrics: Sequence[Metric]) -> Iterator[tuple[str, int]]:
    """Yield the name of a rate's count, and the number of answers that the rate counts."""
    for metric in metrics:
        if metric.name in COUNTED:
            scores = metric.compute(records.members(metric)).scores
            yield COUNTED[metric.name], int(sum(scores.values()))


def _has_mark(record: Record, mark: str) -> bool:
    return any(verdict.get(mark) for verdict in record.verdicts)


@dataclass(frozen=True)
class Outcomes:
    """Shares, 0 to 1, of `n` answers.

    Attributes:
        refused: the model would not answer, or wrote that it saw no picture.
        unparsed: nothing was read in what it wrote, or it wrote nothing, "nan" or "None".
        truncated: the answer is known to be cut off, read or not; None if nobody says it of any.
        taken_whole: no answer was read in what it wrote, so that all of it was scored.
    """

    n: int
    refused: float
    unparsed: float
    failed: float
    truncated: float | None
    taken_whole: float

    @property
    def remark(self) -> str:
        """The numbers of such answers if those of a kind are at least 5%, or ''.

        Refused and unparsed are one kind.
        """
        if max(self.refused + self.unparsed, self.truncated or 0.0, self.taken_whole) < MANY:
            return ""
        kinds = {
            "truncated": self.truncated or 0.0,
            "refused": self.refused,
            "empty or unparsed": self.unparsed,
            "taken whole, as no answer was read in them": self.taken_whole,
        }
        counts = ", ".join(
            f"{round(share * self.n)} {kind}" for kind, share in kinds.items() if share
        )
        return f"of {self.n} answers {counts}"


def outcomes(records: Sequence[Record]) -> Outcomes:
    """Return the shares of at least one record."""
    n = len(records)
    cuts = [record.truncated for record in records]
    return Outcomes(
        n,
        refused=sum(record.refused for record in records) / n,
        unparsed=sum(record.unparsed for record in records) / n,
        failed=sum(record.status == "request_failed" for record in records) / n,
        truncated=None if set(cuts) == {None} else cuts.count(True) / n,
        taken_whole=taken_whole(records) / n,
    )


def taken_whole(records: Sequence[Record]) -> int:
    """Return the number of answers taken whole.

    0 for plain files, whose answers may be those parts alone.
    """
    count = sum(record.taken_whole for record in records)
    return 0 if count and parse(records[0].signature).predictions == "jsonl" else count


def remarks_on(benchmark: Benchmark, records: Sequence[Record]) -> list[str]:
    """Return the warnings about a run's records: the benchmark's own, and the remark on answers
    that are none.
    """
    remarks = benchmark.remarks(records)
    if records and (remark := outcomes(records).remark):
        remedy = "Most count as wrong: read some; raise max_new_tokens for truncated ones."
        remarks = [*remarks, f"{remark[0].upper()}{remark[1:]}. {remedy}"]
    return remarks
