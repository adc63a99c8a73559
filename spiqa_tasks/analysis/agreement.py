"""Whether judges agree: correlations of their scores answer by answer, and their rankings of models (Table B.1)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.runs.run import Run

ALL = "all"


@dataclass(frozen=True)
class Agreement:
    """How two judges' scores of the same `n` answers go together.

    `label` names the model, or is "all" for the answers of all models together. `spearman` and `kendall` (tau-b) are in
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


def agreements(runs: Sequence[Run]) -> list[Agreement]:
    """Return the agreement of every pair of judges on every model's answers, then on all together where several."""
    by_judge: dict[str, dict[str, Mapping[str, float]]] = {}
    for run in runs:
        name = run.judged_metric
        scores = {record.id: record.scores[name] for record in run.questions if name in record.scores}
        by_judge.setdefault(run.judge_name, {})[run.name] = scores
    found = []
    for first, second in itertools.combinations(by_judge, 2):
        others = by_judge[second]
        pairs = {
            name: [(score, others[name][key]) for key, score in scores.items() if key in others[name]]
            for name, scores in by_judge[first].items()
            if name in others
        }
        if len(pairs) > 1:
            pairs[ALL] = [pair for each in list(pairs.values()) for pair in each]
        found += [agreement((first, second), name, each) for name, each in pairs.items()]
    return found


def ranks(runs: Sequence[Run]) -> dict[str, dict[str, int | None]]:
    """Return judge -> model -> rank by what its rule gives, 1 the best, equal scores sharing the better rank.

    None where the score is withheld.
    """
    found: dict[str, dict[str, int | None]] = {}
    for judge in dict.fromkeys(run.judge_name for run in runs):
        values = {
            run.name: run.value(metric).value
            for run in runs
            for metric in run.metrics
            if run.judge_name == judge and metric.name == run.judged_metric
        }
        known = [value for value in values.values() if not math.isnan(value)]
        found[judge] = {
            name: None if math.isnan(value) else 1 + sum(other > value for other in known)
            for name, value in values.items()
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
