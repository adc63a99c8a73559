"""How scores of the same answers go together: of two judges (SPIQA Table B.1), of L3Score with words (Table 8)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run

ALL, ALL_RUNS = "all", "all runs"
Pairs = list[tuple[float, float]]


@dataclass(frozen=True)
class Agreement:
    """How two judges' scores of the same `n` answers go together.

    `predictions` names the model, or is "all" for the answers of all models together; the correlations are those of
    `rank_correlations`.
    """

    judges: tuple[str, str]
    predictions: str
    n: int
    spearman: float | None
    kendall: float | None


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho, in [-1, 1], of a text metric with L3Score over `n` answers.

    `model` and `task` name the run; "all runs" pools the answers of all that `judge` scored. `spearman` is None where
    it is not defined: fewer than two answers, or all of the same score.
    """

    model: str
    task: str
    metric: str
    correlated_with: str
    n: int
    spearman: float | None
    judge: str = ""


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
        pairs = {name: _pairs(scores, theirs[name]) for name, scores in ours.items() if name in theirs}
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


def correlations(runs: Iterable[Run]) -> tuple[list[Correlation], list[str]]:
    """Return the correlations of every run, then of all of a judge where there are several, and what is left out.

    A model's answers to a task count once for each judge. The paper does not say over what it correlates; here it is
    single answers. BLEU has no score of its own for one. Raises InputError: no run has L3Score.
    """
    found: list[Correlation] = []
    remarks: list[str] = []
    pooled: dict[tuple[str, str, str], Pairs] = {}
    counted: dict[tuple[str, Identity, str], Run] = {}
    for run in runs:
        l3scores = run.scores(run.metric(run.judged_metric)) if run.judged_metric else {}
        if not l3scores:
            withheld = run.record_set.withheld()
            reason = "it has no L3Score" if withheld is None else withheld.reason
            remarks.append(f"{run.task} of {run.name} is left out: {reason}.")
            continue
        first = counted.setdefault((run.task, run.identity, run.judge_name), run)
        if first is not run:
            remarks.append(
                f"{run.task} of {run.name} is left out: {first.path} has answers of the same model and judge, too."
            )
            continue
        for metric in (metric for metric in run.metrics if metric.needs == "text programs"):
            pairs = _pairs(l3scores, run.scores(metric))
            if pairs:
                names = (metric.name, run.judged_metric, run.judge_name)
                pooled.setdefault(names, []).extend(pairs)
                found.append(_correlation(run.name, run.task, names, pairs))
    if not found:
        raise InputError(
            "Expected runs of SPIQA with L3Score and a text metric for every answer, found none. Run with a judge, or "
            f"have `spiqa-tasks score` fill the judgements in. {' '.join(remarks)}".strip()
        )
    by_judge = Counter(judge for _, _, judge in counted)
    found += [_correlation(ALL_RUNS, "", names, pairs) for names, pairs in pooled.items() if by_judge[names[2]] > 1]
    return found, remarks


def _correlation(model: str, task: str, names: tuple[str, str, str], pairs: Pairs) -> Correlation:
    metric, judged, judge = names
    return Correlation(model, task, metric, judged, len(pairs), rank_correlations(pairs)[0], judge)


def _pairs(scores: Mapping[str, float], others: Mapping[str, float]) -> Pairs:
    return [(score, others[key]) for key, score in scores.items() if key in others]
