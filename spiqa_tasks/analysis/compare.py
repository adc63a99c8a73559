"""Paired differences of runs of the same task, with the questions won and lost, and warnings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from spiqa_tasks.benchmarks.metric import Metric, mean_of
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
        if len(members) > 1:
            try:
                chosen = _metric_of(members, metric)
            except MissingMetricError as error:
                left_out.append(f"{task} is left out: {error}")
                continue
            found, remarks = _of_task(members, chosen, baseline, most, accept_differences)
            comparisons += found
            left_out += remarks

    return _corrected(comparisons), left_out


def _of_task(
    members: Sequence[Run],
    metric: Metric,
    baseline: str | None,
    most: int | None,
    accept_differences: bool,
) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons of the runs of a task, and remarks on what is left out."""
    task = members[0].task
    scored = []
    faults = []
    for run in members:
        if fault := _fault(run, metric):
            faults.append(f"{task} of {run.name} is left out: {fault}.")
        else:
            scored.append(_Scored(run, questions(run, metric)))

    twos, remarks = _pairs(task, scored, metric, baseline, most)
    comparisons = []
    for a, b in twos:
        if fault := _pair_fault(a, b, metric, accept_differences):
            names = f"{b.run.name} is not compared with {a.run.name}"
            remarks.append(f"{task}: {names}: {fault}.")
        else:
            comparisons.append(_compared(a, b, metric))
    return comparisons, [*remarks, *faults]


def _metric_of(members: Sequence[Run], name: str | None) -> Metric:
    """Return the metric by which runs of a task are compared.

    Raises MissingMetricError: no run has scores, or several metrics that each cover a part.
    """
    logged = [run for run in members if run.logged and run.metrics]
    if name is not None:
        # The metric itself where a run has it: a rate is no mean of logged scores.
        named = {metric.name: metric for run in logged for metric in run.metrics}
        return named.get(name, mean_of(name))
    if not logged:
        raise MissingMetricError("no run of it has scores.")

    first = headline(logged[0])
    for metric in (first, *_others(logged)):
        if _scored_by(members, metric) > 1:
            return metric
    return first


def _others(runs: Sequence[Run]) -> list[Metric]:
    """Return the metrics of which more is better."""
    return [metric for run in runs for metric in run.metrics if metric.higher_is_better]


def _scored_by(members: Sequence[Run], metric: Metric) -> int:
    """Return the number of runs that have scores by a metric."""
    return sum(not _fault(run, metric) for run in members)


def _fault(run: Run, metric: Metric) -> str:
    """Return why a run's value is not the mean of scores per question (METEOR's is not), or ''."""
    if not run.logged:
        return "it has no samples, run it with --log_samples"
    if metric.name not in {each.name for each in run.metrics}:
        return f"it has no {metric.name}"

    # The paired test is of means; BLEU of a corpus is no mean of that of its sentences.
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

    # A judge's scores differ from another's by more than models do.
    judges = other_judges(a.run, b.run, metric)
    if judges and not accept_differences:
        return (
            f"they have scores by {judges}. Name one judge with --judge, or add"
            " --accept-differences"
        )

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
    """Return in what two runs differ, what became of their answers, and what is left out."""
    warnings = [f"differ in {each}" for each in differing(runs[0].signature, runs[1].signature)]
    parts = [run for run in runs if not run.record_set.is_whole]
    warnings += [f"{run.name} answered {run.coverage} questions" for run in parts]
    warnings += _remarks(runs[0], both.record_0) + _remarks(runs[1], both.record_1)
    warnings += [remark for run in runs for remark in run.kind.remarks(run, metric)]

    few = _few(runs, frames, both)
    warnings += [few] * bool(few and not parts)
    a, b = frames[0].score.dropna().index, frames[1].score.dropna().index
    if alone := len(a.symmetric_difference(b)):
        warnings.append(f"{alone} questions have a score in one run only and are left out")
    return warnings


def _remarks(run: Run, records: Iterable[Any]) -> list[str]:
    """Return the remark on answers that are none."""
    remark = outcomes(list(records)).remark
    return [f"{run.name}: {remark}"] if remark else []


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons with Holm's p-values over all of them."""
    # All at once: a correction for each task would count too few.
    corrected = holm([each.difference.p for each in comparisons])
    return [replace(each, p_corrected=p) for each, p in zip(comparisons, corrected, strict=True)]
