"""The difference of two numbers as a sum of lines, one for each cause; pure functions of scores per question."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spiqa_tasks.scoring.intervals import paired

COVERAGE = "questions missing or doubled"
FAILED = "requests failed"
CUT = "answers cut off"
NONE = "answers empty or refused"
RULE = "reading rule"
AVERAGE = "average"
MIXED = "other answers or their reading"
UNKNOWN = "unknown"
OTHER = "other answers"
OVER_QUESTIONS = "questions"
"""The average that is no mean of groups' means."""

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Side:
    """One of the two numbers, as a mean over questions.

    Attributes:
        number: as printed, 0 to 1.
        scores: id -> score by the number's own rule; a failed request has none.
        crossed: id -> score of the same answer by the other number's rule, where that is known.
        kinds: id -> `FAILED`, `CUT` or `NONE`, of answers that are none.
        groups: id -> group, for a mean of the groups' means; {}: the mean over questions.
        counts_failed: whether a failed request counts as wrong, instead of being left out.
        times: id -> how often the number counts the question, if more than once.
        average: the kind of group, or `OVER_QUESTIONS`.
        rule: by which the answers were read: the metric, or a circulating rule.
        tools: signature fields of what the scores were computed with.
    """

    number: float
    scores: Mapping[str, float]
    crossed: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    counts_failed: bool = False
    times: Mapping[str, int] = field(default_factory=dict)
    average: str = OVER_QUESTIONS
    rule: str = ""
    tools: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> list[str]:
        """Ids of the questions with a score or a failed request."""
        return [
            *self.scores,
            *(key for key, kind in self.kinds.items() if kind == FAILED and key not in self.scores),
        ]

    @property
    def computed(self) -> float:
        """The number made again from the scores; NaN without one."""
        ids = self.asked if self.counts_failed else list(self.scores)
        return self.mean(self.weights(ids, self.times)) if ids else math.nan

    def weights(self, ids: Collection[str], times: Mapping[str, int]) -> Weights:
        """Return id -> weight in the number's average over these questions; the weights add up to 1."""
        sizes: Counter[str] = Counter()
        for key in ids:
            sizes[self.groups.get(key, "")] += times.get(key, 1)
        return {
            key: times.get(key, 1) / (len(sizes) * sizes[self.groups.get(key, "")]) for key in ids
        }

    def mean(self, weights: Weights) -> float:
        """Return the weighted mean of the scores, 0 for a failed request."""
        return math.fsum(weight * self.scores.get(key, 0.0) for key, weight in weights.items())


@dataclass(frozen=True)
class Line:
    """A cause's part of the difference in natural units, with the ids of its questions, those that changed it first.

    `low` and `high` are the ends of the paired 95% interval, of `OTHER` alone.
    """

    cause: str
    value: float
    ids: Sequence[str] = ()
    low: float | None = None
    high: float | None = None


def decomposed(a: Side, b: Side, same_rule: bool, clusters: Mapping[str, str | None]) -> list[Line]:
    """Return lines whose values add up to `b.number - a.number`.

    On the common questions each pair of answers is read by both rules: the effect of the rule is averaged over A's and
    B's answer, that of the answers over both rules (Shapley values of two factors), and likewise the effects of the
    average and of the scores. The effect of other answers goes to the failed, cut off or missing answer if a question
    has one in either run, in this order. With one cross-reading alone the effect is taken from that; without any, and
    with different rules, it stays with the answers in `MIXED`.

    `same_rule` says whether both read answers by the same rule, `clusters` is id -> cluster key. Raises ValueError: no
    common question.
    """
    others = set(b.asked)
    common = [key for key in a.asked if key in others]
    if not common:
        raise ValueError("expected common questions, got none")
    of_a, of_b = (side.weights(common, {}) for side in (a, b))
    causes = {key: _cause(key, a, b, same_rule) for key in common}
    rules: dict[str, float] = {}
    answers: dict[str, float] = {}
    tested: list[
        tuple[float, float]
    ] = []  # scores of both answers, equal where these are not what is tested
    for key in common:
        weight = (of_a[key] + of_b[key]) / 2
        rule, earlier, later = _shares(key, a, b, same_rule)
        rules[key], answers[key] = weight * rule, weight * (later - earlier)
        scale = weight * len(common) * (causes[key] == OTHER)
        tested.append((scale * earlier, scale * later))
    averages = [
        (of_b[key] - of_a[key]) * (a.scores.get(key, 0.0) + b.scores.get(key, 0.0)) / 2
        for key in common
    ]
    earlier_scores, later_scores = zip(*tested, strict=True)
    interval = paired(earlier_scores, later_scores, [clusters.get(key) for key in common])
    (failed_a, missing_a), (failed_b, missing_b) = (_steps(side, common) for side in (a, b))
    once = {key for key in common if a.times.get(key, 1) == b.times.get(key, 1) == 1}
    of = {
        cause: [key for key in common if causes[key] == cause]
        for cause in (FAILED, CUT, NONE, MIXED, OTHER)
    }
    failed, cut, none, mixed, other = (_line(cause, answers, ids) for cause, ids in of.items())
    return [
        Line(
            COVERAGE,
            missing_a - missing_b,
            [key for key in dict.fromkeys((*a.asked, *b.asked)) if key not in once],
        ),
        replace(failed, value=failed.value + failed_a - failed_b),
        *(cut, none, _line(RULE, rules, [key for key, effect in rules.items() if effect])),
        Line(AVERAGE, math.fsum(averages), common if of_a != of_b else ()),
        *(mixed, Line(UNKNOWN, (b.number - b.computed) - (a.number - a.computed))),
        replace(
            other,
            ids=[key for key in other.ids if answers[key]],
            low=interval.low,
            high=interval.high,
        ),
    ]


def _shares(key: str, a: Side, b: Side, same_rule: bool) -> tuple[float, float, float]:
    """Return the rule's effect on a question, and the scores of A's and B's answer, by both rules where known."""
    one, two = (side.scores.get(key, 0.0) for side in (a, b))
    crossed_one, crossed_two = (None if same_rule else side.crossed.get(key) for side in (a, b))
    changes = [crossed - one for crossed in [crossed_one] if crossed is not None]
    changes += [two - crossed for crossed in [crossed_two] if crossed is not None]
    rule = math.fsum(changes) / max(1, len(changes))
    if crossed_two is None:
        return rule, one + rule, two
    if crossed_one is None:
        return rule, one, two - rule
    return rule, (one + crossed_one) / 2, (two + crossed_two) / 2


def _cause(key: str, a: Side, b: Side, same_rule: bool) -> str:
    kinds = {a.kinds.get(key), b.kinds.get(key)}
    is_read = same_rule or key in a.crossed or key in b.crossed
    return next(
        (kind for kind in (FAILED, CUT, NONE) if kind in kinds), OTHER if is_read else MIXED
    )


def _steps(side: Side, common: Sequence[str]) -> tuple[float, float]:
    """Return the changes of a number when failed requests count as wrong, then when the common questions count once."""
    whole = side.mean(side.weights(side.asked, side.times))
    return whole - side.computed, side.mean(side.weights(common, {})) - whole


def _line(cause: str, effects: Mapping[str, float], ids: Iterable[str]) -> Line:
    """Return the sum of the effects of some questions, the largest first."""
    ordered = sorted(ids, key=lambda key: -abs(effects[key]))
    return Line(cause, math.fsum(effects[key] for key in ordered), ordered)
