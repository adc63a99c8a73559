"""SPIQA's metrics: L3Score, text metrics, retrieval accuracy (paper section 3.1) and failure
rates (section 5).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from spiqa_tasks.benchmarks.metric import (
    MINIMUM_SHARE,
    RELEASED,
    REQUEST_FAILED,
    TRUNCATED_RATE,
    Metric,
    Value,
    mean_of,
    share_of,
    value_of_too_few,
    whole,
)
from spiqa_tasks.benchmarks.open_metrics import (
    JUDGE_FAILED,
    L3SCORE,
    YES_NO_MASS,
    Texts,
    judged_by,
    prediction,
    text_metric,
)
from spiqa_tasks.benchmarks.record import Record, Records
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings
from spiqa_tasks.metrics.text_scores import METRICS

# The text metrics in the host's table, to keep it within a screen; `score` prints all.
SHOWN = ("bleu_1", "rouge_l", "cider", "meteor", "bertscore_f1")

# Share of answers whose chain of thought names one of the referred figures, by its index among
# those shown.
RETRIEVAL = "retrieval_accuracy"


def metrics(settings: SpiqaSettings) -> list[Metric]:
    """Return the metrics, the headline first."""
    every = _of_protocol(settings, "", prediction)
    if settings.protocol == "both":
        every += _of_protocol(settings, RELEASED, _released_texts)
    every += _rates(settings)

    # At most 16 rows, which fit on a screen: with both protocols, no figure types. `yes_no_mass` is
    # near 1 with a fit judge, and `judge_advice` warns otherwise.
    hidden = {name for name in METRICS if name not in SHOWN} | {YES_NO_MASS.name}
    if settings.protocol == "both":
        hidden.add("bleu_1")
    elif settings.judged == L3SCORE:
        every[0] = replace(every[0], groups=GROUPS)
    return [
        replace(metric, in_table=metric.name.removesuffix(RELEASED) not in hidden)
        for metric in every
    ]


def _of_protocol(settings: SpiqaSettings, suffix: str, texts: Texts) -> list[Metric]:
    """Return the metrics of one protocol, the judge's first: the corrected one (`suffix` is ''), or
    that of the released scripts (`RELEASED`).
    """
    name = settings.judged + suffix
    compute = mean_of(name).compute
    if suffix and settings.setting == "perfigure":
        compute = partial(_perfigure_released, name)

    of_protocol = [judged_by(name, compute)]
    if settings.setting == "cot":
        of_protocol.append(Metric(RETRIEVAL + suffix, partial(_retrieval, RETRIEVAL + suffix)))
    return of_protocol + [text_metric(toolkit + suffix, texts) for toolkit in METRICS]


def _rates(settings: SpiqaSettings) -> list[Metric]:
    """Return the failure rates of answers and judge, and the judge's mass on yes and no."""
    unformatted = share_of(
        "unformatted_rate", lambda record: record.rule in ("unformatted", "empty")
    )
    mass = [YES_NO_MASS] if settings.judged == L3SCORE else []
    if settings.setting == "perfigure":
        return [
            replace(unformatted, of_documents=True),
            share_of("incomplete_rate", lambda record: record.status == "incomplete"),
            share_of("unhelpful_rate", lambda record: record.status == "no_helpful_figure"),
            JUDGE_FAILED,
            *mass,
            replace(REQUEST_FAILED, of_documents=True),
        ]
    truncated = replace(TRUNCATED_RATE, in_table=True)
    return [unformatted, truncated, JUDGE_FAILED, *mass, REQUEST_FAILED]


def _released_texts(record: Record) -> Sequence[str]:
    """Return what the released scripts read in a response: one text, or () if it failed.

    `perfigure`: a text per helpful referred figure, or one empty text.
    """
    details = record.details
    if record.prediction is None:
        return ()
    if "released" in details:
        return (details["released"]["prediction"],)
    if "released_answers" in details:
        return details["released_answers"] or ("",)
    return ()


def _perfigure_released(name: str, records: Records) -> Value:
    """Return the released script's score: the sum over judged answers divided by their number plus
    one per question.

    The script means to add one for questions without a helpful figure only, but never notes that
    a figure was helpful.
    """
    questions = whole(records)
    answered = [record for record in questions if record.prediction is not None]
    if missing := value_of_too_few(len(answered), len(questions)):
        return missing

    verdicts = [
        verdict for record in answered for verdict in record.verdicts if verdict["metric"] == name
    ]
    scores = [verdict["score"] for verdict in verdicts if "score" in verdict]
    # Not `is_covered`: if no figure helped in any question, nothing is judged, and the score is 0.
    if len(scores) < MINIMUM_SHARE * len(verdicts):
        reason = f"{len(scores)} of {len(verdicts)} answers were judged"
        return Value(math.nan, len(scores), reason=reason)
    return Value(sum(scores) / (len(scores) + len(answered)), len(answered))


def _retrieval(name: str, records: Records) -> Value:
    """Return the mean retrieval score; the remedy is its reason if answers lack the order of the
    figures.
    """
    value = mean_of(name).compute(records)
    unknown = sum(
        record.prediction is not None and not record.details.get("figures") for record in records
    )
    if value.reason is None or not unknown:
        return value

    reason = (
        f"the order of the figures that the model saw is not known for {unknown} of {len(records)}"
        " answers: name a column of their file names with --columns figures=COLUMN"
    )
    return replace(value, reason=reason)
