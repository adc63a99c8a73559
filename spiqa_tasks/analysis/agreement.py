"""Agreement of judges on the same answers: rank correlations (SPIQA Table B.1)."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.runs.run import Run

ALL = "all"
Pairs = list[tuple[float, float]]


@dataclass(frozen=True)
class Agreement:
    """Rank correlations of two judges' scores of the same `n` answers.

    `predictions` names the model, or is "all" for the answers of all models together.
    """

    judges: tuple[str, str]
    predictions: str
    n: int
    spearman: float | None
    kendall: float | None


def agreements(runs: Sequence[Run]) -> list[Agreement]:
    """Return the agreement of every pair of judges on every model's answers, then on all together where several."""
    by_judge: dict[str, dict[str, Mapping[str, float]]] = {}
    for run in runs:
        name = run.judged_metric
        scores = {record.id: record.scores[name] for record in run.questions if name in record.scores}
        by_judge.setdefault(run.judge_name, {})[run.name] = scores
    found = []
    for first, second in itertools.combinations(by_judge, 2):
        ours, theirs = by_judge[first], by_judge[second]
        pairs = {name: matched(scores, theirs[name]) for name, scores in ours.items() if name in theirs}
        if len(pairs) > 1:
            pairs[ALL] = [pair for each in list(pairs.values()) for pair in each]
        found += [Agreement((first, second), name, len(each), *rank_correlations(each)) for name, each in pairs.items()]
    return found


def ranks(runs: Sequence[Run]) -> dict[str, dict[str, int | None]]:
    """Return judge -> model -> rank by what its rule gives, 1 the best, equal scores sharing the better rank.

    None where the score is withheld.
    """
    found: dict[str, dict[str, int | None]] = {}
    for judge in dict.fromkeys(run.judge_name for run in runs):
        judged = [run for run in runs if run.judge_name == judge and run.judged_metric]
        values = {run.name: run.value(run.metric(run.judged_metric)).value for run in judged}
        found[judge] = {
            name: None if math.isnan(value) else 1 + sum(other > value for other in values.values())
            for name, value in values.items()
        }
    return found


def rank_correlations(pairs: Pairs) -> tuple[float | None, float | None]:
    """Return Spearman's rho and Kendall's tau-b of both scores of the same answers.

    Both are in [-1, 1]; None where they are not defined: fewer than two answers, or one score for all of them.
    """
    columns = list(zip(*pairs, strict=True))
    if len(pairs) < 2 or any(len(set(column)) == 1 for column in columns):
        return None, None
    from scipy.stats import kendalltau, spearmanr

    return float(spearmanr(*columns).statistic), float(kendalltau(*columns).statistic)


def matched(scores: Mapping[str, float], others: Mapping[str, float]) -> Pairs:
    """Return both scores of each id that has two."""
    return [(score, others[key]) for key, score in scores.items() if key in others]
