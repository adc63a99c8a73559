"""Whether judges agree: correlations of their scores answer by answer, and their rankings of models (Table B.1)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.offline.scored import L3SCORE, Scored

ALL = "all"


@dataclass(frozen=True)
class Agreement:
    """How two judges' L3Scores of the same `n` answers go together.

    `label` names the answers, or is "all" for those of all files together. `spearman` and `kendall` (tau-b) are in
    [-1, 1]; None where they are not defined: fewer than two answers, or a judge that gives all the same score.
    """

    judges: tuple[str, str]
    label: str
    n: int
    spearman: float | None
    kendall: float | None

    def as_json(self) -> dict[str, Any]:
        """For `score --json`."""
        return {
            "judges": list(self.judges),
            "predictions": self.label,
            "n": self.n,
            "spearman": self.spearman,
            "kendall": self.kendall,
        }


def agreements(results: Sequence[Scored]) -> list[Agreement]:
    """Every pair of judges on every file of answers, then on all files together where there are several."""
    by_judge: dict[str, dict[str, Mapping[str, float]]] = {}
    for result in results:
        by_judge.setdefault(str(result.judge), {})[result.label] = result.l3scores
    found = []
    for first, second in itertools.combinations(by_judge, 2):
        pairs: dict[str, list[tuple[float, float]]] = {
            label: [
                (score, by_judge[second][label][row_id])
                for row_id, score in scores.items()
                if row_id in by_judge[second][label]
            ]
            for label, scores in by_judge[first].items()
        }
        if len(pairs) > 1:
            pairs[ALL] = [pair for each in list(pairs.values()) for pair in each]
        found += [agreement((first, second), label, each) for label, each in pairs.items()]
    return found


def ranks(results: Sequence[Scored]) -> dict[str, dict[str, int | None]]:
    """Judge -> label of the answers -> rank by L3Score, 1 the best, equal scores sharing the better rank.

    None where the score is withheld.
    """
    found: dict[str, dict[str, int | None]] = {}
    for judge in dict.fromkeys(str(result.judge) for result in results):
        values = {
            result.label: result.metrics[L3SCORE].value
            for result in results
            if str(result.judge) == judge and L3SCORE in result.metrics
        }
        known = [value for value in values.values() if value is not None]
        found[judge] = {
            label: None if value is None else 1 + sum(other > value for other in known)
            for label, value in values.items()
        }
    return found


def agreement(judges: tuple[str, str], label: str, pairs: Sequence[tuple[float, float]]) -> Agreement:
    """Return how two judges' scores of the same answers go together; `pairs` has both scores of each."""
    columns = list(zip(*pairs, strict=True))
    if len(pairs) < 2 or any(len(set(column)) == 1 for column in columns):
        return Agreement(judges, label, len(pairs), None, None)
    from scipy.stats import kendalltau, spearmanr

    spearman, kendall = (float(test(*columns).statistic) for test in (spearmanr, kendalltau))
    return Agreement(judges, label, len(pairs), spearman, kendall)
