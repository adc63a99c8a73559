"""Metrics of open answers in several benchmarks: text metrics and failure rates of the judge."""

import math
from collections.abc import Callable, Sequence
from statistics import fmean

from spiqa_tasks.benchmarks.metric import (
    RELEASED,
    Metric,
    Pairs,
    Value,
    share_of,
    value_of_too_few,
    whole,
)
from spiqa_tasks.benchmarks.record import Record, Records
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import LEAST_MASS, METRIC_OF, NEITHER_REMEDY, yes_no_mass
from spiqa_tasks.metrics.text_scores import TOKENIZER, text_scores
from spiqa_tasks.scoring.intervals import mean_interval, t_interval

# Mean probability of yes and no together below which people are warned; fit judges stay near 1.
USUAL_MASS = 0.95

# SPIQA's metric (paper section 4), by the rule of the same name.
L3SCORE = "l3score"

# Toolkits without the usual interval: CIDEr's scores reach 10, even if those of a group do not, and
# METEOR is computed from sums over all answers.
_INTERVALS = {"cider": t_interval, "meteor": None}

# Record -> the predictions that a text metric scores, () without an answer.
Texts = Callable[[Record], Sequence[str]]


def metric_of(rule: str) -> str:
    """Return the metric that a rule of free answers gives. Raises InputError for any other rule."""
    name = rule.partition(":")[0]
    if name not in METRIC_OF:
        raise InputError(f"Expected rule to be one of {', '.join(METRIC_OF)}; found {rule!r}.")
    return METRIC_OF[name]


def prediction(record: Record) -> Sequence[str]:
    """Return the record's prediction, or () without one."""
    return () if record.prediction is None else (record.prediction,)


def text_metric(name: str, texts: Texts = prediction) -> Metric:
    """Return the metric of texts against the reference by a toolkit of `metrics.text_scores`.

    `name` is the toolkit's, or with the suffix `RELEASED` if `texts` are the released scripts'.
    """
    toolkit = name.removesuffix(RELEASED)

    def pairs(records: Records) -> Pairs:
        return [(text, record.reference) for record in whole(records) for text in texts(record)]

    def compute(records: Records) -> Value:
        """Return the toolkit's value over all answers, and the score of each where it has one."""
        questions = whole(records)
        answered = [record.id for record in questions if texts(record)]
        if missing := value_of_too_few(len(answered), len(questions)):
            return missing

        score = text_scores(pairs(questions), [toolkit])[toolkit]
        if isinstance(score, str):
            return Value(math.nan, len(answered), reason=score)
        # A question with several predictions has no score of its own.
        has_scores = len(score.per_item) == len(answered)
        by_id = dict(zip(answered, score.per_item, strict=True)) if has_scores else {}
        return Value(score.value, len(answered), by_id, missing=len(records) - len(answered))

    return Metric(
        name,
        compute,
        needs="text programs",
        of_corpus=toolkit == "cider",  # its word weights come from all references
        interval_of=_INTERVALS.get(toolkit, mean_interval),
        pairs=pairs,
        signature={"tokenizer": TOKENIZER},
    )


def judge_advice(records: Records) -> list[str]:
    """Return a remedy if yes and no have less than 95% of the probability on average, or []."""
    mass = _mass(records)
    # NaN, the mass of no verdicts, is below nothing.
    if mass.value < USUAL_MASS:
        return [
            f"Yes and no together have {mass.value:.0%} of the probability of the judge's first"
            f" word, the mean over {mass.n} judgements: {NEITHER_REMEDY}."
        ]
    return []


def judged_by(name: str, compute: Callable[[Records], Value]) -> Metric:
    """Return the metric that a judge gives; withheld if the judge hardly ever says yes or no."""

    def over(records: Records) -> Value:
        """Return the judged metric; withheld where the judge's yes and no are mostly noise."""
        mass = _mass(records)
        if reason := noise(mass.value):
            return Value(math.nan, mass.n, reason=reason)
        return compute(records)

    return Metric(name, over, needs="judge")


def noise(mass: float) -> str:
    """Return why L3Scores with this mean probability of yes and no are withheld, or ''."""
    # NaN, the mass of no verdicts, is below nothing.
    if mass < LEAST_MASS:
        return f"yes and no have {mass:.1%} of the probability of the judge's first word"
    return ""


def _mass(records: Records) -> Value:
    """Return the mean probability of yes and no together among L3Score's verdicts."""
    masses = [mass for record in records for mass in yes_no_masses(record)]
    return Value(fmean(masses) if masses else math.nan, len(masses))


def yes_no_masses(record: Record) -> list[float]:
    """Return the probability of yes and no together of each L3Score verdict of a record."""
    return [
        yes_no_mass(verdict["top_logprobs"])
        for verdict in record.verdicts
        if "top_logprobs" in verdict and verdict["metric"].removesuffix(RELEASED) == L3SCORE
    ]


# How much of its probability the judge gave to yes and no: near 1, or its scores are noise.
YES_NO_MASS = Metric("yes_no_mass", _mass, needs="judge")
JUDGE_FAILED = share_of("judge_failed_rate", lambda record: record.judge_failed, "judge")
