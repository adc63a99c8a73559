"""Paired differences of runs of the same task, with the questions won and lost, and warnings."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from spiqa_tasks.analysis.merging import (
    PARTIAL,
    conditions,
    different_judges,
    headline,
    merged,
    questions,
    texts,
)
from spiqa_tasks.benchmarks.metric import Metric, too_few
from spiqa_tasks.runs.metric_values import mean_remarks
from spiqa_tasks.runs.run import MissingMetricError, Run
from spiqa_tasks.scoring.intervals import Paired, holm, paired


@dataclass(frozen=True, eq=False)
class Scored:
    """A run and its questions by the metric of the comparison."""

    run: Run
    questions: pd.DataFrame

    @cached_property
    def known(self) -> pd.Index:
        """The ids of the questions that have a score."""
        return self.questions.score.dropna().index

    @cached_property
    def texts(self) -> dict[str, str]:
        """Question -> the response as logged."""
        return texts(self.run)


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
        runs: of any tasks; those without samples are left out.
        metric: its name; default: each task's headline.
        baseline: name of a model; each other run minus its runs.
        most: number of pairs of a task above which each run is compared with the best one only.
        accept_differences: whether to compare scores of different judges.
    """
    by_task = defaultdict(list)
    for run in runs:
        # With and without pictures is the question of `gain`.
        if run.logged:
            by_task[run.task, run.is_blind].append(run)

    comparisons = []
    left_out: list[str] = []
    for (task, _), members in by_task.items():
        if len(members) < 2:
            continue
        try:
            chosen = _metric_of(members, metric)
        except MissingMetricError as error:
            left_out.append(f"{task} is left out: {error}")
            continue

        scored, faults = _scored(members, chosen)
        pairs, remarks = _pairs(task, scored, chosen, baseline, most)
        compared, refusals = _compared(pairs, chosen, accept_differences)
        comparisons += compared
        left_out += [*remarks, *refusals, *faults]

    # All at once: a correction for each task would count too few.
    corrected = holm([each.difference.p for each in comparisons])
    comparisons = [
        replace(each, p_corrected=p) for each, p in zip(comparisons, corrected, strict=True)
    ]
    return comparisons, left_out


def _compared(
    pairs: Iterable[tuple[Scored, Scored]], metric: Metric, accept_differences: bool
) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons of a task's pairs, and a sentence on each one that is none."""
    comparisons = []
    refusals = []
    for a, b in pairs:
        both = merged([a.questions, b.questions])
        few = _few(a, b, both)
        fault = _fault_of_pair(a, b, both, metric, accept_differences)
        if not fault and few and not a.run.partial:
            fault = f"{few} {PARTIAL}"

        if fault:
            names = f"{b.run.name} is not compared with {a.run.name}"
            refusals.append(f"{a.run.task}: {names}: {fault}.")
        else:
            comparisons.append(_comparison(a, b, both, few, metric))
    return comparisons, refusals


def _metric_of(members: Sequence[Run], name: str | None) -> Metric:
    """Return the metric by which runs of a task are compared, of a run that has it.

    Raises MissingMetricError: no run has it or any score, or several that each cover a part.
    """
    scored = [run for run in members if run.metrics]
    if not scored:
        raise MissingMetricError("no run of it has scores.")
    # without a name, another run's headline may be of the part alone that it answered
    named = [metric for run in scored for metric in run.metrics if metric.name == name]
    return named[0] if named else headline(scored[0], name)


def _scored(members: Sequence[Run], metric: Metric) -> tuple[list[Scored], list[str]]:
    """Return the runs that have scores per question, and a sentence on each other one."""
    scored = []
    faults = []
    for run in members:
        if fault := _fault(run, metric):
            faults.append(f"{run.task} of {run.name} is left out: {fault}.")
        else:
            scored.append(Scored(run, questions(run, metric)))
    return scored, faults


def _fault(run: Run, metric: Metric) -> str:
    """Return why a run's value is not the mean of scores per question (METEOR's is not), or ''."""
    if metric.name not in {each.name for each in run.metrics}:
        return f"it has no {metric.name}"

    # The paired test is of means; BLEU of a corpus is no mean of that of its sentences.
    value = run.value(metric)
    if value.is_mean:
        return ""

    reason = value.reason or f"its {metric.name} is no mean over single answers"
    return f"{reason} {PARTIAL}" if run.record_set.withheld() else reason


def _pairs(
    task: str, scored: list[Scored], metric: Metric, baseline: str | None, most: int | None
) -> tuple[list[tuple[Scored, Scored]], list[str]]:
    """Return the pairs to compare, the earlier run first, and a remark on others."""
    remarks = []
    if most is not None and math.comb(len(scored), 2) > most:
        bases = [max(scored, key=lambda each: each.run.value(metric).value)]
        remarks.append(
            f"{task}: each run against the best one, {bases[0].run.name}; `spiqa-tasks compare` has"
            " the other pairs."
        )
    elif baseline is not None:
        bases = [
            each
            for each in scored
            if baseline in (each.run.name, each.run.identity.label, each.run.identity.model)
        ]
        if not bases:
            names = ", ".join(each.run.name for each in scored)
            remarks.append(
                f"{task} is left out: it has no run of {baseline} with scores, but of {names}."
            )
    else:
        return list(itertools.combinations(scored, 2)), []

    others = [each for each in scored if each not in bases]
    return list(itertools.product(bases, others)), remarks


def _fault_of_pair(
    a: Scored, b: Scored, both: pd.DataFrame, metric: Metric, accept_differences: bool
) -> str:
    """Return why two runs are not compared, or ''."""
    if both.empty:
        return "they share no question"

    # A judge's scores differ from another's by more than models do.
    judges = different_judges(a.run, b.run, metric)
    if judges and not accept_differences:
        return (
            f"they have scores by {judges}. Name one judge with --judge; `compare"
            " --accept-differences` takes both"
        )

    others = sorted(both.index[both.reference_0 != both.reference_1])
    if others:
        count = f"{len(others)} questions have another true answer under the same id"
        return f"{count}, such as {others[0]}"
    return ""


def _few(a: Scored, b: Scored, both: pd.DataFrame) -> str:
    """Return why so few questions have a score in both runs, or ''."""
    sizes = []
    for each in (a, b):
        # A run over all questions may not say how many there are.
        missing = max(0, each.run.asked - each.run.record_set.answered)
        sizes.append(len(each.known) + missing)
    # Two runs that each lack 1% may lack different questions: those of either count.
    size = max(*sizes, len(a.known.union(b.known)))
    return too_few(len(both), size, "questions have a score in both runs")


def _comparison(a: Scored, b: Scored, both: pd.DataFrame, few: str, metric: Metric) -> Comparison:
    """Return the comparison of two runs over the questions that both have a score of.

    `few` says why these are so few, or is ''.
    """
    test = paired(both.score_0.tolist(), both.score_1.tolist(), both.cluster_0.tolist())
    return Comparison(
        task=a.run.task,
        metric=metric.name,
        a=a.run.name,
        b=b.run.name,
        score_a=float(both.score_0.mean()),
        score_b=float(both.score_1.mean()),
        difference=test,
        p_corrected=test.p,
        won=list(both.index[both.score_1 > both.score_0]),
        lost=list(both.index[both.score_1 < both.score_0]),
        warnings=_warnings(a, b, few, metric),
    )


def _warnings(a: Scored, b: Scored, few: str, metric: Metric) -> list[str]:
    """Return warnings: in what two runs differ, what is left out."""
    different = conditions(a.run, b.run, metric.needs == "judge")
    warnings = [f"differ in {condition}" for condition in different]
    if a.texts == b.texts:
        warnings.append("the answers of both are the same")
    for run in (a.run, b.run):
        if not run.record_set.is_whole:
            warnings.append(f"{run.name} answered {run.coverage} questions")
        warnings += mean_remarks(run, metric)

    if few and a.run.record_set.is_whole and b.run.record_set.is_whole:
        warnings.append(few)
    if alone := len(a.known.symmetric_difference(b.known)):
        warnings.append(f"{alone} questions have a score in one run only and are left out")
    return warnings
