"""Rank correlation of L3Score with text metrics over the same answers (SPIQA Table 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from spiqa_tasks.analysis.agreement import Pairs, matched, rank_correlations
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run

ALL_RUNS = "all runs"


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
            pairs = matched(l3scores, run.scores(metric))
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
