"""SPIQA's metrics: L3Score, text metrics, retrieval accuracy (paper section 3.1) and failure
rates (section 5).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from spiqa_tasks.benchmarks.metric import (
    RELEASED,
    Metric,
    Value,
    mean_of,
    mean_value,
    share_of,
    withheld,
)
from spiqa_tasks.benchmarks.open_metrics import (
    JUDGE_FAILED,
    L3SCORE,
    YES_NO_MASS,
    Texts,
    judged_by,
    prediction,
    text_metric,
    whole,
)
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.values import is_covered

# The text metrics in the host's table, to keep it within a screen; `score` prints all.
SHOWN = ("bleu_1", "rouge_l", "cider", "meteor", "bertscore_f1")

# Share of answers whose chain of thought names one of the referred figures, by its index among
# those shown.
RETRIEVAL = "retrieval_accuracy"


def metrics(settings: SpiqaSettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    by_reading: list[Metric] = []
    if settings.protocol != "released":
        by_reading += _of_reading(settings, "", prediction)
    if settings.protocol != "corrected":
        by_reading += _of_reading(settings, RELEASED, _released)
    return (*by_reading, *_rates(settings))


def table(settings: SpiqaSettings) -> list[str]:
    """Return the rows of the host's table, at most 16; `score` prints the others.

    L3Score overall and by figure type (not of both protocols together), text metrics and failure
    rates, but not `yes_no_mass`, which is near 1 with a fit judge (`judge_advice` warns otherwise).
    """
    both = settings.protocol == "both"
    hidden = {name for name in METRICS if name not in SHOWN or (both and name == "bleu_1")} | {
        YES_NO_MASS.name
    }
    names = [
        metric.name
        for metric in metrics(settings)
        if metric.name.removesuffix(RELEASED) not in hidden
    ]
    by_type = settings.protocol == "corrected" and settings.judged == L3SCORE
    return [names[0], *(f"{names[0]}/{group}" for group in GROUPS if by_type), *names[1:]]


def _of_reading(settings: SpiqaSettings, suffix: str, texts: Texts) -> list[Metric]:
    name, of_images = settings.judged + suffix, RETRIEVAL + suffix
    judged = judged_by(name, lambda records: mean_of(name).compute(whole(records)))
    if suffix and settings.setting == "perfigure":
        judged = replace(judged, compute=partial(_perfigure_released, name))
    retrieval = (
        [Metric(of_images, partial(_retrieval, of_images))] if settings.setting == "cot" else []
    )
    return [judged, *retrieval, *(text_metric(toolkit + suffix, texts) for toolkit in METRICS)]


def _rates(settings: SpiqaSettings) -> list[Metric]:
    unformatted = share_of(
        "unformatted_rate", lambda record: record.rule in ("unformatted", "empty")
    )
    request_failed = share_of(
        "request_failed_rate", lambda record: record.status == "request_failed"
    )
    mass = [YES_NO_MASS] if settings.judged == L3SCORE else []
    if settings.setting != "perfigure":
        truncated = share_of("truncated_rate", lambda record: bool(record.truncated))
        no_text = (
            [Metric("no_text_count", _no_text, higher_is_better=False)]
            if settings.setting == "fullpaper"
            else []
        )
        return [unformatted, truncated, JUDGE_FAILED, *mass, request_failed, *no_text]
    of_questions = [
        share_of("incomplete_rate", lambda record: record.status == "incomplete"),
        Metric("unhelpful_rate", _unhelpful, higher_is_better=False),
    ]
    if settings.protocol != "released":
        judge_failed = partial(_perfigure_judge_failed, settings.judged)
        of_questions.append(
            Metric(JUDGE_FAILED.name, judge_failed, higher_is_better=False, needs="judge")
        )
    unformatted, request_failed = (
        replace(metric, of_documents=True) for metric in (unformatted, request_failed)
    )
    return [unformatted, *of_questions, *mass, request_failed]


def _released(record: Record) -> Sequence[str]:
    """Return the released scripts' reading.

    `perfigure`: an answer per helpful referred figure, or one empty answer.
    """
    details = record.details
    if "released" in details:
        return (details["released"]["prediction"],)
    if "released_answers" in details:
        return details["released_answers"] or ("",)
    return ()


def _perfigure_released(name: str, records: Sequence[Record]) -> Value:
    """Return the released script's score: the sum over judged answers divided by their number plus
    one per question.

    The script adds one for a question without a helpful figure, but never records that it had
    one.
    """
    questions = whole(records)
    answered = [record for record in questions if record.prediction is not None]
    missing = withheld(len(answered), len(questions))
    if missing is not None:
        return missing

    verdicts = _verdicts(answered, name)
    scores = [verdict["score"] for verdict in verdicts if "score" in verdict]
    if verdicts and not is_covered(len(scores), len(verdicts)):
        reason = f"{len(scores)} of {len(verdicts)} answers were judged"
        return Value(math.nan, len(scores), reason=reason)
    return Value(sum(scores) / (len(scores) + len(answered)), len(answered))


def _verdicts(records: Sequence[Record], metric: str) -> list[Mapping[str, Any]]:
    """Return the logged verdicts for a metric."""
    verdicts: list[Mapping[str, Any]] = []
    for record in records:
        verdicts += [verdict for verdict in record.verdicts if verdict["metric"] == metric]
    return verdicts


def _unhelpful(records: Sequence[Record]) -> Value:
    unhelpful: dict[str, float | None] = {}
    for record in whole(records):
        is_answered = record.prediction is not None
        is_unhelpful = record.status == "no_helpful_figure"
        unhelpful[record.id] = float(is_unhelpful) if is_answered else None
    return mean_value(unhelpful)


def _perfigure_judge_failed(name: str, records: Sequence[Record]) -> Value:
    verdicts = _verdicts(records, name)
    failed = sum("score" not in verdict for verdict in verdicts)
    return Value(failed / len(verdicts) if verdicts else 0.0, len(verdicts))


def _no_text(records: Sequence[Record]) -> Value:
    known = {r.id: float(r.details["no_text"]) for r in records if "no_text" in r.details}
    if len(known) < len(records):
        return Value(math.nan, len(known), reason="the papers' texts are not read for scoring")
    return Value(sum(known.values()), len(known), known)


def _retrieval(name: str, records: Sequence[Record]) -> Value:
    """Return the mean retrieval score, withheld if the order of the figures is unknown for too
    many.
    """
    unknown = sum(
        record.prediction is not None and not record.details.get("figures") for record in records
    )
    if unknown and not is_covered(len(records) - unknown, len(records)):
        reason = (
            f"the order of the figures that the model saw is not known for {unknown} of"
            f" {len(records)} answers: "
        )
        reason += (
            "add a column of their file names, called figures, or name it with --columns"
            " figures=COLUMN"
        )
        return Value(math.nan, len(records) - unknown, reason=reason)
    return mean_of(name).compute(records)
