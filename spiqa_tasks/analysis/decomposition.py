"""The difference of two numbers as a sum of lines, one for each cause; functions of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from spiqa_tasks.analysis.numbers import CUT, FAILED, NONE, UNREAD, Average, ReportedNumber
from spiqa_tasks.scoring.intervals import paired

COVERAGE = "questions missing"
RULE = "reading rule"
AVERAGE = "average"
MIXED = "other answers or their reading"
UNKNOWN = "unknown"
OTHER = "other answers"

# Of an answer that is none; a question with several causes has the first of them.
KINDS = (FAILED, CUT, NONE, UNREAD)


@dataclass(frozen=True)
class Line:
    """A cause's part of the difference in natural units, with the ids of its questions.

    Those that changed it most come first. `low` and `high` are the ends of the paired 95% interval,
    of `OTHER` alone.
    """

    cause: str
    value: float
    ids: Sequence[str] = ()
    low: float | None = None
    high: float | None = None


def decomposed(a: ReportedNumber, b: ReportedNumber, same_rule: bool) -> list[Line]:
    """Return lines whose values add up to `b.value - a.value`.

    Both frames have a column `rescored`: the score by the other number's rule, NaN if unknown.
    The effect of the average is taken with the mean of both scores, that of the scores with the
    mean of both weights. Raises ValueError: no common question.
    """
    both = a.questions.join(b.questions, how="inner", lsuffix="_a", rsuffix="_b")
    if both.empty:
        raise ValueError("expected common questions, got none")

    weights = [each.average.weights(each.questions.loc[both.index]) for each in (a, b)]
    effects = _effects(both, same_rule).mul((weights[0] + weights[1]) / 2, axis="index")
    causes = _causes(both, same_rule)
    of_average = (weights[1] - weights[0]) * (both.score_a.fillna(0) + both.score_b.fillna(0)) / 2

    # The causes are apart, so that no question's effect is in two lines.
    of = {cause: _line(cause, effects.answers[causes == cause]) for cause in (*KINDS, MIXED)}
    failed_a, missing_a = _steps(a, both.index)
    failed_b, missing_b = _steps(b, both.index)
    alone = a.questions.index.symmetric_difference(b.questions.index, sort=False)
    changed = effects.rule[effects.rule != 0]
    # Questions with another cause count as equal; the interval is of the line, not of its mean.
    other = effects[causes == OTHER].reindex(both.index, fill_value=0.0) * len(both)
    interval = paired(list(other.earlier), list(other.later), list(both.cluster_a))
    of_groups = list(both.index) if not np.allclose(weights[0], weights[1]) else []

    return [
        Line(COVERAGE, missing_a - missing_b, list(alone)),
        replace(of[FAILED], value=of[FAILED].value + failed_a - failed_b),
        of[CUT],
        of[NONE],
        of[UNREAD],
        _line(RULE, changed),
        Line(AVERAGE, float(of_average.sum()), of_groups),
        of[MIXED],
        Line(UNKNOWN, (b.value - b.computed) - (a.value - a.computed)),
        replace(
            _line(OTHER, effects.answers[(causes == OTHER) & (effects.answers != 0)]),
            low=interval.low,
            high=interval.high,
        ),
    ]


def _effects(both: pd.DataFrame, same_rule: bool) -> pd.DataFrame:
    """Return for each question the effects of the `rule` and of the `answers`.

    Each pair of answers is read by both rules where that is known: the effect of the answers is
    the mean of their differences by either (Shapley values of two factors), that of the rule the
    rest. `earlier` and `later` are the means of the scores that are compared.
    """
    one, two = both.score_a.fillna(0.0), both.score_b.fillna(0.0)
    one_by_b, two_by_a = both.rescored_a, both.rescored_b
    if same_rule:
        one_by_b, two_by_a = one, two

    earlier = _mean(one.where(two_by_a.notna()), one_by_b).fillna(one)
    later = _mean(two_by_a, two.where(one_by_b.notna())).fillna(two)
    answers = later - earlier
    rule = (two - one) - answers
    return pd.DataFrame({"rule": rule, "answers": answers, "earlier": earlier, "later": later})


def _mean(one: pd.Series[float], two: pd.Series[float]) -> pd.Series[float]:
    """Return the mean of what is known of two columns."""
    return pd.concat([one, two], axis="columns").mean(axis="columns")


def _causes(both: pd.DataFrame, same_rule: bool) -> pd.Series[str]:
    """Return the cause of each question's effect."""
    is_read = both.rescored_a.notna() | both.rescored_b.notna() | same_rule
    has_kind = [(both.kind_a == kind) | (both.kind_b == kind) for kind in KINDS]
    causes = np.select([*has_kind, is_read], [*KINDS, OTHER], MIXED)
    return pd.Series(causes, index=both.index)


def _steps(number: ReportedNumber, common: pd.Index[str]) -> tuple[float, float]:
    """Return the changes of a number when failed requests count, then without lone questions."""
    # First the failed requests, then the lone questions: else a failure would count as missing.
    counted = Average(number.average.column, counts_failed=True)
    whole = counted.of(number.questions)
    return whole - number.computed, counted.of(number.questions.loc[common]) - whole


def _line(cause: str, effects: pd.Series[float]) -> Line:
    """Return the sum of the effects of some questions, the largest first."""
    ordered = effects.sort_values(key=abs, ascending=False, kind="stable")
    return Line(cause, float(effects.sum()), list(ordered.index))
