"""Paired differences of runs of the same task, with the questions won and lost, and warnings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.merging import (
    clusters_of,
    differing,
    headline,
    merged,
    other_judges,
    questions,
    scores_of,
    task_size,
)
from spiqa_tasks.benchmarks.aggregation import Metric, mean_of
from spiqa_tasks.benchmarks.summary import outcomes
from spiqa_tasks.runs.run import MissingMetricError, Run
from spiqa_tasks.scoring.intervals import Paired, holm, paired
from spiqa_tasks.scoring.values import too_few

if TYPE_CHECKING:
    import pandas as pd

PARTIAL = "(--partial has values over a part)"


@dataclass(frozen=True)
class _Scored:
    """A run and its questions by the metric of the comparison."""

    run: Run
    questions: pd.DataFrame


@dataclass(frozen=True)
class Comparison:
    """Run `b` minus run `a` on the questions that both answered, in natural units.

    Attributes:
        score_a, score_b: their means over these questions.
        difference: of the means, with interval and p-value.
        p_corrected: Holm's p-value over all comparisons made together.
        won, lost: ids of the questions on which `b` scores higher and lower than `a`.
        warnings: differences between the runs other than the model.
    """

    task: str
    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: Paired
    p_corrected: float | None
    won: Sequence[str]
    lost: Sequence[str]
    warnings: Sequence[str]


def compare(
    runs: Iterable[Run],
    metric: str | None = None,
    baseline: str | None = None,
    most: int | None = None,
    accept_differences: bool = False,
) -> tuple[list[Comparison], list[str]]:
    """Return every pair of runs of one task, the later minus the earlier, and what is left out.

    Args:
        runs: of any tasks.
        metric: its name; default: each task's headline or, where no two of its runs have scores
            by that, the first other metric of which more is better.
        baseline: name of a model; each other run minus its runs.
        most: number of pairs of a task above which each run is compared with the best one only.
        accept_differences: whether to compare scores of different judges.
    """
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)

    comparisons: list[Comparison] = []
    left_out: list[str] = []
    for task, members in by_task.items():
        try:
            chosen = _metric_of(members, metric) if len(members) > 1 else None
        except MissingMetricError as error:
            left_out.append(f"{task} is left out: {error}")
            continue
        if chosen is None:
            continue

        faults = [_fault(run, chosen) for run in members]
        scored = [
            _Scored(run, questions(run, chosen))
            for run, fault in zip(members, faults, strict=True)
            if not fault
        ]
        twos, remarks = _pairs(task, scored, chosen, baseline, most)
        left_out += remarks
        for a, b in twos:
            if fault := _pair_fault(a, b, chosen, accept_differences):
                names = f"{b.run.name} is not compared with {a.run.name}"
                left_out.append(f"{task}: {names}: {fault}.")
            else:
                comparisons.append(_compared(a, b, chosen))
        left_out += [
            f"{task} of {run.name} is left out: {fault}."
            for run, fault in zip(members, faults, strict=True)
            if fault
        ]

    return _corrected(comparisons), left_out


def _metric_of(members: Sequence[Run], name: str | None) -> Metric | None:
    """Return the metric by which runs of a task are compared, or None if no run has scores.

    Raises MissingMetricError: several that each cover a part of the task.
    """
    logged = [run for run in members if run.logged and run.metrics]
    metrics = {metric.name: metric for run in logged for metric in run.metrics}
    if name is not None:
        return metrics.get(name, mean_of(name))
    if not logged:
        return None

    first = headline(logged[0])
    others = [metric for metric in metrics.values() if metric.higher_is_better]
    for metric in (first, *others):
        if sum(not _fault(run, metric) for run in members) > 1:
            return metric
    return first


def _fault(run: Run, metric: Metric) -> str:
    """Return why a run's value is not the mean of scores per question (METEOR's is not), or ''."""
    if not run.logged:
        return "it has no samples, run it with --log_samples"
    if metric.name not in {each.name for each in run.metrics}:
        return f"it has no {metric.name}"

    value, scores = run.value(metric), run.scores(metric)
    mean = math.fsum(scores.values()) / len(scores) if scores else math.nan
    if math.isclose(mean, value.value, abs_tol=1e-9):
        return ""

    reason = value.reason or f"its {metric.name} is no mean over single answers"
    return f"{reason} {PARTIAL}" if run.record_set.withheld() else reason


def _pairs(
    task: str, scored: Sequence[_Scored], metric: Metric, baseline: str | None, most: int | None
) -> tuple[Iterable[tuple[_Scored, _Scored]], list[str]]:
    """Return the pairs to compare, the earlier run first, and remarks on others."""
    if most is not None and math.comb(len(scored), 2) > most:
        best = max(scored, key=lambda each: each.run.value(metric).value)
        bases = [best]
        remarks = [
            f"{task}: each run against the best one, {best.run.name}; `spiqa-tasks compare` has "
            "the other pairs."
        ]
    elif baseline is not None:
        bases = [each for each in scored if baseline in _names(each.run)]
        missing = f"{task} is left out: it has no run of {baseline} with scores."
        remarks = [] if bases else [missing]
    else:
        return itertools.combinations(scored, 2), []

    others = [each for each in scored if not any(each is base for base in bases)]
    return itertools.product(bases, others), remarks


def _names(run: Run) -> tuple[str, str, str]:
    return run.name, run.identity.label, run.identity.model


def _pair_fault(a: _Scored, b: _Scored, metric: Metric, accept_differences: bool) -> str:
    """Return why two runs are not compared, or ''."""
    runs, frames = [a.run, b.run], [a.questions, b.questions]
    both = merged(frames)
    if both.empty:
        return "they share no question"

    judges = other_judges(a.run, b.run, metric)
    if judges and not accept_differences:
        return f"they have scores by {judges}. Name one judge with --judge, or add --accept-differences"

    others = sorted(both.index[both.reference_0 != both.reference_1])
    if others:
        count = f"{len(others)} questions have another true answer under the same id"
        return f"{count}, such as {others[0]}"

    few = _few(runs, frames, both)
    return f"{few} {PARTIAL}" if few and not runs[0].partial else ""


def _few(runs: Sequence[Run], frames: Sequence[pd.DataFrame], both: pd.DataFrame) -> str:
    size = task_size(runs, frames)
    return too_few(len(both), size, "questions have a score in both runs")


def _compared(a: _Scored, b: _Scored, metric: Metric) -> Comparison:
    runs, frames = [a.run, b.run], [a.questions, b.questions]
    both = merged(frames)
    scores_a, scores_b = scores_of(both, 0), scores_of(both, 1)
    test = paired(scores_a, scores_b, clusters_of(both))

    return Comparison(
        task=runs[0].task,
        metric=metric.name,
        a=runs[0].name,
        b=runs[1].name,
        score_a=math.fsum(scores_a) / test.n,
        score_b=math.fsum(scores_b) / test.n,
        difference=test,
        p_corrected=test.p,
        won=list(both.index[both.score_1 > both.score_0]),
        lost=list(both.index[both.score_1 < both.score_0]),
        warnings=_warnings(runs, frames, both, metric),
    )


def _warnings(
    runs: Sequence[Run], frames: Sequence[pd.DataFrame], both: pd.DataFrame, metric: Metric
) -> list[str]:
    warnings = [f"differ in {each}" for each in differing(runs[0].signature, runs[1].signature)]

    parts = [run for run in runs if not run.record_set.is_whole]
    warnings += [f"{run.name} answered {run.coverage} questions" for run in parts]
    for number, run in enumerate(runs):
        remark = outcomes(list(both[f"record_{number}"])).remark
        warnings += [f"{run.name}: {remark}"] * bool(remark)
    for run in runs:
        warnings += run.kind.remarks(run, metric)

    few = _few(runs, frames, both)
    if few and not parts:
        warnings.append(few)
    scored = [set(frame.index[frame.score.notna()]) for frame in frames]
    if alone := len(scored[0] ^ scored[1]):
        warnings.append(f"{alone} questions have a score in one run only and are left out")

    return warnings


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons with Holm's p-values over all of them."""
    corrected = holm([each.difference.p for each in comparisons])
    return [replace(each, p_corrected=p) for each, p in zip(comparisons, corrected, strict=True)]
