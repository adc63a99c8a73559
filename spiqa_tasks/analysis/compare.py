"""Paired differences of runs of the same task, with the questions won and lost, and warnings."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.analysis.pair import Pair, differing
from spiqa_tasks.benchmarks.aggregation import Metric, mean_of
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.intervals import Paired, holm, paired
from spiqa_tasks.scoring.values import too_few


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
) -> tuple[list[Comparison], list[str]]:
    """Return every pair of runs of one task, the later minus the earlier, and a sentence for each run left out.

    With a baseline, a model's name, each other run minus its runs; of a task with more than `most` pairs, each run
    minus the best one. The p-values are corrected together. Runs are compared by one metric: by default each task's
    headline or, where no two of its runs have scores by that, the first other metric of which more is better.
    """
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    comparisons: list[Comparison] = []
    left_out: list[str] = []
    for members in by_task.values():
        chosen = _metric_of(members, metric) if len(members) > 1 else None
        if chosen is None:
            continue
        faults = [(run, _fault(run, chosen)) for run in members]
        scored = [run for run, fault in faults if not fault]
        bases = [
            run for run in scored if baseline in (run.name, run.identity.label, run.identity.model)
        ]
        if most is not None and math.comb(len(scored), 2) > most:
            bases = [max(scored, key=lambda run: run.value(chosen).value)]
            name = f"{bases[0].task}: each run against the best one, {bases[0].name}"
            left_out.append(f"{name}; `spiqa-tasks compare` has the other pairs.")
        others = [run for run in scored if not any(run is base for base in bases)]
        is_of_bases = baseline is not None or bool(bases)
        twos = (
            itertools.product(bases, others) if is_of_bases else itertools.combinations(scored, 2)
        )
        for pair in (Pair(two, chosen) for two in twos):
            a, b = pair.runs
            few = too_few(len(pair.scores), pair.total, "questions have a score in both runs")
            why_not = _not_comparable(pair, few)
            if why_not:
                left_out.append(f"{a.task}: {b.name} is not compared with {a.name}: {why_not}.")
            else:
                comparisons.append(_compared(pair, few))
        if baseline is not None and not bases:
            left_out.append(
                f"{members[0].task} is left out: it has no run of {baseline} with scores."
            )
        left_out += [
            f"{run.task} of {run.name} is left out: {fault}." for run, fault in faults if fault
        ]
    corrected = holm([comparison.difference.p for comparison in comparisons])
    return [
        replace(each, p_corrected=p) for each, p in zip(comparisons, corrected, strict=True)
    ], left_out


def _metric_of(members: Sequence[Run], name: str | None) -> Metric | None:
    """Return the metric by which runs of a task are compared, or None if no run has one."""
    metrics = {each.name: each for run in members if run.logged for each in run.metrics}
    if name is not None:
        return metrics.get(name, mean_of(name))
    wanted = [
        each for place, each in enumerate(metrics.values()) if place == 0 or each.higher_is_better
    ]
    scored = (each for each in wanted if sum(not _fault(run, each) for run in members) > 1)
    return next(scored, next(iter(wanted), None))


def _fault(run: Run, metric: Metric) -> str:
    """Return why a run's value is not the mean of scores per question (METEOR's is not), or ''."""
    if not run.logged:
        return "it has no samples, run it with --log_samples"
    if not any(each.name == metric.name for each in run.metrics):
        return f"it has no {metric.name}"
    value, scores = run.value(metric), run.scores(metric)
    if scores and math.isclose(math.fsum(scores.values()) / len(scores), value.value, abs_tol=1e-9):
        return ""
    reason = value.reason or f"its {metric.name} is no mean over single answers"
    return f"{reason} (--partial has values over a part)" if run.record_set.withheld() else reason


def _not_comparable(pair: Pair, few: str) -> str:
    other = sorted(
        key
        for key in pair.scores
        if len({questions[key].reference for questions in pair.questions}) > 1
    )
    if not pair.scores:
        return "they share no question"
    if other:
        return (
            f"{len(other)} questions have another true answer under the same id, such as {other[0]}"
        )
    return f"{few} (--partial has values over a part)" if few and not pair.runs[0].partial else ""


def _compared(pair: Pair, few: str) -> Comparison:
    a, b = pair.runs
    scores_a, scores_b = ([scores[place] for scores in pair.scores.values()] for place in (0, 1))
    test = paired(scores_a, scores_b, pair.clusters(pair.scores))
    score_a, score_b = (math.fsum(scores) / test.n for scores in (scores_a, scores_b))
    won = [key for key, (earlier, later) in pair.scores.items() if later > earlier]
    lost = [key for key, (earlier, later) in pair.scores.items() if later < earlier]
    warnings = [f"differ in {difference}" for difference in differing(a.signature, b.signature)]
    warnings += [
        f"{run.name} answered {run.coverage} questions"
        for run in (a, b)
        if not run.record_set.is_whole
    ]
    both = zip((a, b), pair.outcomes(list(pair.scores)), strict=True)
    warnings += [f"{run.name}: {of_run.remark}" for run, of_run in both if of_run.remark]
    warnings += pair.remarks
    warnings += [few] if few and a.record_set.is_whole and b.record_set.is_whole else []
    alone = len(pair.run_scores[0].keys() ^ pair.run_scores[1].keys())
    warnings += (
        [f"{alone} questions have a score in one run only and are left out"] if alone else []
    )
    return Comparison(
        a.task,
        pair.metric.name,
        a.name,
        b.name,
        score_a,
        score_b,
        test,
        test.p,
        won,
        lost,
        warnings,
    )
