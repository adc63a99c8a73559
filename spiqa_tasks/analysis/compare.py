"""Runs of the same task against each other: paired differences, samples won and lost, and what speaks against it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from spiqa_tasks.benchmarks.aggregation import Metric, mean_of
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import run_metrics
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.clustered import PairedDifference, holm, paired_difference
from spiqa_tasks.scoring.coverage import is_covered

DECISIVE = ("data", "prompt", "settings", "grey", "matcher", "tokenizer")
"""The fields of a signature in which two numbers must agree to be compared, beside those of the judge."""


@dataclass(frozen=True)
class Comparison:
    """Run `b` minus run `a` on the questions that both answered, in natural units.

    Attributes:
        task, metric: of the scores.
        a, b: the runs.
        score_a, score_b: their means over these questions.
        difference: of the means, with interval and p-value.
        p_corrected: the p-value by Holm, for all comparisons that were made together.
        won, lost: ids of the questions on which `b` scores higher and lower than `a`.
        warnings: what makes the two numbers less comparable than they seem.
    """

    task: str
    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: PairedDifference
    p_corrected: float
    won: Sequence[str]
    lost: Sequence[str]
    warnings: Sequence[str]


def compare(runs: Iterable[Run], metric: str | None = None) -> tuple[list[Comparison], list[str]]:
    """Return every pair of runs of one task, the later minus the earlier, and a sentence for each run left out.

    The p-values are corrected together. Runs are compared by one metric: by default each task's headline or, where no
    two of its runs have scores by that, the first other metric of which more is better.
    """
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    found: list[Comparison] = []
    left_out: list[str] = []
    for members in by_task.values():
        chosen = _metric_of(members, metric) if len(members) > 1 else None
        if chosen is None:
            continue
        scores = [(run, _scores(run, chosen)) for run in members]
        for (a, ours), (b, theirs) in itertools.combinations([each for each in scores if each[1]], 2):
            few = _few((a, b), (ours, theirs))
            why_not = _not_comparable((a, b), ours.keys() & theirs.keys(), few)
            if why_not:
                left_out.append(f"{a.task}: {b.name} is not compared with {a.name}: {why_not}.")
            else:
                found.append(_compared(a, b, chosen, ours, theirs, few))
        left_out += [
            f"{run.task} of {run.name} is left out: {_why_not(run, chosen)}." for run, known in scores if not known
        ]
    corrected = holm([comparison.difference.p for comparison in found])
    whole = [dataclasses.replace(comparison, p_corrected=p) for comparison, p in zip(found, corrected, strict=True)]
    return whole, left_out


def compared(runs: Sequence[Run], metric: str | None = None) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons of runs; see `compare`.

    Raises InputError: no two runs of one task with scores by that metric; the message has why.
    """
    found, left_out = compare(runs, metric)
    if not found:
        names = ", ".join(sorted({f"{run.task} of {run.name}" for run in runs})) or "none"
        scored = f" by {metric}" if metric else ""
        remedy = " ".join(left_out) or "Name the folders of the runs to compare."
        raise InputError(f"Expected two runs of one task with scores{scored}; found {names}. {remedy}")
    return found, left_out


def differing(a: Signature, b: Signature) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values."""
    judge = tuple(name for name in a.__dataclass_fields__ if name.startswith("judge"))
    return [
        f"{name}: {getattr(a, name) or 'none'} and {getattr(b, name) or 'none'}"
        for name in (*DECISIVE, *judge)
        if getattr(a, name) != getattr(b, name)
    ]


def _metric_of(members: Sequence[Run], name: str | None) -> Metric | None:
    """The metric by which runs of a task are compared, whether they have scores by it or not; None without any."""
    metrics = {each.name: each for run in members if run.logged for each in run.metrics}
    if name is not None:
        return metrics.get(name, mean_of(name))
    wanted = [each for place, each in enumerate(metrics.values()) if place == 0 or each.higher_is_better]
    scored = (each for each in wanted if sum(bool(_scores(run, each)) for run in members) > 1)
    return next(scored, next(iter(wanted), None))


def _why_not(run: Run, metric: Metric) -> str:
    """Why a run has no scores by a metric."""
    if not run.logged:
        return "it has no samples, run it with --log_samples"
    if not any(each.name == metric.name for each in run.metrics):
        return f"it has no {metric.name}"
    reason = run.value(metric).reason or f"its {metric.name} is no mean over single answers"
    return f"{reason} (--partial has values over a part)" if run.record_set.withheld() else reason


def _scores(run: Run, metric: Metric) -> dict[str, float]:
    """Question -> score; none where the run's value is no mean of them (METEOR)."""
    if not run.logged or not any(each.name == metric.name for each in run.metrics):
        return {}
    value, scores = run.value(metric).value, run.scores(metric)
    is_mean = bool(scores) and math.isclose(math.fsum(scores.values()) / len(scores), value, abs_tol=1e-9)
    return scores if is_mean else {}


def _not_comparable(runs: Sequence[Run], common: Set[str], few: str) -> str:
    """Why two runs with scores of some common questions are not compared; empty where they are."""
    references = [{record.id: record.reference for record in run.questions} for run in runs]
    other = sorted(key for key in common if references[0][key] != references[1][key])
    if not common:
        return "they share no question"
    if other:
        return f"{len(other)} questions have another true answer under the same id, such as {other[0]}"
    return f"{few}, fewer than 99% (--partial has values over a part)" if few and not runs[0].partial else ""


def _few(runs: Sequence[Run], scores: Sequence[Mapping[str, float]]) -> str:
    """How many questions have a score in both runs, where that is less than 99% of the task's; else empty."""
    count = len(scores[0].keys() & scores[1].keys())
    whole = [len(known) + max(0, run.asked - run.record_set.answered) for run, known in zip(runs, scores, strict=True)]
    total = max(*whole, len(set().union(*scores)))
    return "" if is_covered(count, total) else f"{count} of {total} questions have a score in both runs"


def _compared(
    a: Run, b: Run, metric: Metric, scores_a: Mapping[str, float], scores_b: Mapping[str, float], few: str
) -> Comparison:
    differences = {key: scores_b[key] - score for key, score in scores_a.items() if key in scores_b}
    count, clusters = len(differences), a.value(metric).clusters
    found = paired_difference(list(differences.values()), [clusters.get(key) for key in differences])
    score_a, score_b = (math.fsum(scores[key] for key in differences) / count for scores in (scores_a, scores_b))
    won = [key for key, difference in differences.items() if difference > 0]
    lost = [key for key, difference in differences.items() if difference < 0]
    warnings = [f"differ in {difference}" for difference in differing(a.signature, b.signature)]
    warnings += [f"{run.name} answered {run.coverage} questions" for run in (a, b) if not run.record_set.is_whole]
    warnings += [remark for run in (a, b) for remark in run_metrics.remarks(run, metric)]
    warnings += [few] if few and a.record_set.is_whole and b.record_set.is_whole else []
    alone = len(scores_a.keys() ^ scores_b.keys())
    warnings += [f"{alone} questions have a score in one run only and are left out"] if alone else []
    return Comparison(a.task, metric.name, a.name, b.name, score_a, score_b, found, found.p, won, lost, warnings)
