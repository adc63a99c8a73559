"""The metrics of questions whose figures were shown one at a time (see `perfigure`)."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import MINIMUM_SCORED, mean
from spiqa_tasks.benchmarks.spiqa.perfigure import Joined, join
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.judge.pending import Pending

logger = logging.getLogger(__name__)

Records = Sequence[dict[str, Any]]
Verdicts = dict[tuple[str, str, str], Pending]
"""(question, reference, answer) -> verdict; shared by the metrics of a run, so that each answer is judged once."""


def incomplete_rate(records: Records) -> float:
    """The share of questions with documents missing; such a question counts in no other metric."""
    questions, incomplete = join(records)
    return incomplete / (len(questions) + incomplete)


def unhelpful_rate(records: Records) -> float:
    """The share of questions of which no figure was found helpful; NaN below 99% of answered questions."""
    questions, _ = join(records)
    for question in _answered(questions):
        question.anchor["score"] = float(not question.is_helped)
    return mean([question.anchor for question in questions])


def text_score(records: Records) -> float:
    """A text metric of the joined answers; gives each question's score to its first record."""
    questions, _ = join(records)
    answered = _answered(questions)
    pairs = [(question.prediction, question.anchor["reference"]) for question in answered]
    values = _text_scores(records, questions, pairs)
    for question, value in zip(answered, values[1], strict=False):
        question.anchor["score"] = value
    return values[0]


def text_score_released(records: Records) -> float:
    """A text metric as the released script makes it: every helpful referred figure is an answer of its own.

    A question without one counts once, with an empty answer.
    """
    questions, _ = join(records)
    answered = _answered(questions)
    pairs = [
        (answer, question.anchor["reference"]) for question in answered for answer in question.released_answers or [""]
    ]
    return _text_scores(records, questions, pairs)[0]


def l3score(records: Records, judge: L3Judge, verdicts: Verdicts) -> float:
    """The mean L3Score of the joined answers, 0 where no figure was found helpful.

    Judges here, in one batch, because only now is it known which figures were found helpful.
    """
    questions, _ = join(records)
    answered = _answered(questions)
    asked = [question for question in answered if question.is_helped]
    pendings = _submit([_triple(question, question.prediction) for question in asked], judge, verdicts)
    for question in answered:
        question.anchor.update(prediction=question.prediction, status="no_helpful_figure", score=0.0)
    for question, pending in zip(asked, pendings, strict=True):
        del question.anchor["score"]
        question.anchor.update(judge.fields(pending.result()))
    return mean([question.anchor for question in questions])


def l3score_released(records: Records, judge: L3Judge, verdicts: Verdicts) -> float:
    """L3Score as the released script divides: by the answers judged plus one for every question.

    The script means to count a question without a helpful figure, but never notes that it had one.
    """
    questions, _ = join(records)
    answered = _answered(questions)
    triples = [_triple(question, answer) for question in answered for answer in question.released_answers]
    scores = [judge.rule.score(pending.result()) for pending in _submit(triples, judge, verdicts)]
    judged = [score for score in scores if score is not None]
    if _is_withheld(len(answered), len(questions)) or len(judged) < MINIMUM_SCORED * len(scores):
        return math.nan
    return sum(judged) / (len(judged) + len(answered))


def judge_failed_rate(records: Records, judge: L3Judge, verdicts: Verdicts) -> float:
    """The share of answers that could not be judged, of those that were to be judged for l3score."""
    questions, _ = join(records)
    asked = [question for question in _answered(questions) if question.is_helped]
    pendings = _submit([_triple(question, question.prediction) for question in asked], judge, verdicts)
    return sum(not pending.result().ok for pending in pendings) / len(pendings) if pendings else 0.0


def _submit(triples: Sequence[tuple[str, str, str]], judge: L3Judge, verdicts: Verdicts) -> list[Pending]:
    """The verdicts, waited for; those that another metric asked for are not asked for again."""
    new = [triple for triple in dict.fromkeys(triples) if triple not in verdicts]
    verdicts |= {triple: judge.submit(judge.rule.request(*triple)) for triple in new}
    pendings = [verdicts[triple] for triple in triples]
    judge.engine.wait(pendings, report=bool(new))
    return pendings


def _triple(question: Joined, answer: str) -> tuple[str, str, str]:
    return question.anchor["question"], question.anchor["reference"], answer


def _answered(questions: Sequence[Joined]) -> list[Joined]:
    return [question for question in questions if question.replies]


def _is_withheld(answered: int, questions: int) -> bool:
    return not answered or answered < MINIMUM_SCORED * questions


def _text_scores(
    records: Records, questions: Sequence[Joined], pairs: Sequence[tuple[str, str]]
) -> tuple[float, tuple[float, ...]]:
    """The value of the metric that the records name, and those of the pairs where it has them."""
    if _is_withheld(len(_answered(questions)), len(questions)):
        return math.nan, ()
    metric = records[0]["metric"]
    scores = text_scores(pairs, [metric])
    if metric in scores.omitted:
        return math.nan, ()
    return scores.values[metric], scores.per_item.get(metric, ())
