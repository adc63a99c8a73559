"""Free answers in a file with their questions and references, scored without a task as `L3Score`
does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_value
from spiqa_tasks.benchmarks.benchmark import Benchmark, parse_settings, settings_text
from spiqa_tasks.benchmarks.choice import FAILURE_RATES
from spiqa_tasks.benchmarks.open_metrics import (
    JUDGE_FAILED,
    L3SCORE,
    YES_NO_MASS,
    judge_advice,
    judged_by,
    metric_of,
    text_metric,
)
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import DataError
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.refusals import is_refusal

SPLIT = "file"


@dataclass(frozen=True)
class FreeSettings:
    """Settings; `rule` is the judge's, as of SPIQA."""

    rule: str = L3SCORE


def rows_in_file(table: Sequence[Mapping[str, Any]], data: str) -> list[dict[str, Any]]:
    """Return the rows of a file's questions, from its cells and the digest of its questions.

    Raises DataError: a row without a question or a reference.
    """
    if bare := [
        cells["id"] for cells in table if not (cells["question"] and any(cells["references"]))
    ]:
        raise DataError(
            f"Expected a question and a reference with each answer, found none with {bare[0]}. Add"
            " them."
        )
    shared = {
        "benchmark": FREE_ANSWERS.name,
        "split": SPLIT,
        "settings": settings_text(FreeSettings()),
        "data": data,
    }
    taken = ({name: cells[name] for name in ("id", "question", "references")} for cells in table)
    return [row | {"answer": row["references"][0], **shared} for row in taken]


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of a response, taken as it is.

    The judge is asked about each of the references.
    """
    signature = parse(context.sign(row, "")).with_fields(prompt="").text  # nobody knows the prompt
    shared = {"reference": row["answer"], "signature": signature}
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, **shared)
    if not row["question"] or not any(row["references"]):
        raise DataError("no question or no reference")  # the record's status says so
    metric = metric_of(parse_settings(FreeSettings, row["settings"]).rule)
    candidates = (Candidate(response.text, row["question"], each) for each in row["references"])
    asks = tuple(ask for candidate in candidates for ask in context.asks(metric, candidate))
    rule = None if response.text.strip() else "empty"
    return Record(
        row["id"], response.text, rule=rule, refused=is_refusal(response.text), asks=asks, **shared
    )


def metrics(settings: FreeSettings) -> list[Metric]:
    """Return the metrics: the judge's, the text metrics, failure rates."""
    name = metric_of(settings.rule)
    judged = judged_by(name, partial(_best, name))
    mass = [YES_NO_MASS] if name == L3SCORE else []
    return [judged, *mass, *map(text_metric, METRICS), JUDGE_FAILED, *FAILURE_RATES]


def _best(metric: str, records: Sequence[Record]) -> Value:
    """Return the mean of each answer's best score over its references.

    None if a verdict is missing.
    """
    scores: dict[str, float | None] = {}
    for each in records:
        verdicts = [verdict for verdict in each.verdicts if verdict["metric"] == metric]
        is_whole = bool(verdicts) and all("score" in verdict for verdict in verdicts)
        scores[each.id] = max(verdict["score"] for verdict in verdicts) if is_whole else None
    return mean_value(scores)


def remarks(records: Sequence[Record]) -> list[str]:
    """Return the advice on the judge, and that text metrics compare with the first reference if
    there are several.
    """
    asked = max((len(each.verdicts) for each in records), default=0)
    several = (
        "Of several references the best counts for the judge's metric, the first for text metrics."
    )
    return [*judge_advice(records), *[several] * (asked > 1)]


def no_release(*_: Any) -> Any:
    """Raise DataError: such answers have their questions beside them, and no release."""
    raise DataError("Expected answers to have their questions beside them, found none.")


FREE_ANSWERS = Benchmark(
    name="answers",
    splits={SPLIT: 0},
    load=no_release,
    prompt=no_release,
    record=record,
    metrics=metrics,
    settings=FreeSettings,
    judge=lambda settings: settings.rule,
    remarks=remarks,
    scoring=frozenset({"rule"}),
)
