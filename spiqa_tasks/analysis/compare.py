"""Runs of the same task against each other: paired differences, samples won and lost, and what speaks against it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.paired import PairedDifference, holm, paired_difference

DECISIVE = ("data", "prompt", "settings", "grey", "matcher", "tokenizer")
"""The fields of a signature in which two numbers must agree to be compared, beside those of the judge."""

Pair = tuple[Run, Run, Metric]
"""Two runs of a task and the metric by which they are compared."""


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


def compare(runs: Iterable[Run], metric: str | None = None) -> list[Comparison]:
    """Return every pair of runs of one task, the later minus the earlier, p-values corrected together.

    Runs are compared by one metric: by default each task's first one that two of its runs have scores by.
    """
    found = [_compared(*pair) for pair in _pairs(runs, metric)]
    corrected = holm([comparison.difference.p for comparison in found])
    return [dataclasses.replace(comparison, p_corrected=p) for comparison, p in zip(found, corrected, strict=True)]


def compared(runs: Sequence[Run], metric: str | None = None) -> list[Comparison]:
    """Return the comparisons of runs; see `compare`.

    Raises:
        InputError: no two runs of one task with scores by that metric; the message has why scores are withheld.
    """
    found = compare(runs, metric)
    if not found:
        names = ", ".join(sorted({f"{run.task} of {run.name}" for run in runs})) or "none"
        withheld = ((run, run.record_set.withheld()) for run in runs if run.logged)
        reasons = sorted({f"{run.task} of {run.name}: {value.reason}" for run, value in withheld if value is not None})
        remedy = "; ".join(reasons) + ", or add --partial" if reasons else "Name the folders of the runs to compare"
        scored = f" with scores by {metric}" if metric else ""
        raise InputError(f"Expected two runs of one task{scored}; found {names}. {remedy}.")
    return found


def differing(a: Signature, b: Signature) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values."""
    judge = tuple(name for name in a.__dataclass_fields__ if name.startswith("judge"))
    return [
        f"{name}: {getattr(a, name) or 'none'} and {getattr(b, name) or 'none'}"
        for name in (*DECISIVE, *judge)
        if getattr(a, name) != getattr(b, name)
    ]


def _pairs(runs: Iterable[Run], metric: str | None) -> Iterator[Pair]:
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        if run.logged:
            by_task.setdefault(run.task, []).append(run)
    for members in by_task.values():
        if len(members) < 2:
            continue
        metrics = {each.name: each for run in members for each in run.metrics}
        for name in metrics if metric is None else [metric] if metric in metrics else []:
            having = [run for run in members if any(each.name == name for each in run.metrics)]
            scored = [run for run in having if _scores(run, metrics[name])]
            yield from (
                (a, b, metrics[name])
                for a, b in itertools.combinations(scored, 2)
                if _scores(a, metrics[name]).keys() & _scores(b, metrics[name]).keys()
            )
            if len(scored) > 1:
                break


def _scores(run: Run, metric: Metric) -> dict[str, float]:
    """Question -> score; none where the run's value is no mean of them (METEOR)."""
    value, scores = run.value(metric).value, run.scores(metric)
    is_mean = bool(scores) and math.isclose(math.fsum(scores.values()) / len(scores), value, abs_tol=1e-9)
    return scores if is_mean else {}


def _compared(a: Run, b: Run, metric: Metric) -> Comparison:
    scores_a, scores_b = _scores(a, metric), _scores(b, metric)
    ids = [key for key in scores_a if key in scores_b]
    differences = [scores_b[key] - scores_a[key] for key in ids]
    clusters = a.value(metric).clusters
    found = paired_difference(differences, [clusters.get(key) for key in ids])
    score_a, score_b = (math.fsum(scores[key] for key in ids) / len(ids) for scores in (scores_a, scores_b))
    won = [key for key, difference in zip(ids, differences, strict=True) if difference > 0]
    lost = [key for key, difference in zip(ids, differences, strict=True) if difference < 0]
    warnings = _warnings(a, b, scores_a, scores_b, len(ids))
    return Comparison(a.task, metric.name, a.name, b.name, score_a, score_b, found, found.p, won, lost, warnings)


def _warnings(a: Run, b: Run, scores_a: Mapping[str, float], scores_b: Mapping[str, float], shared: int) -> list[str]:
    found = [f"differ in {difference}" for difference in differing(a.signature, b.signature)]
    found += [f"{run.name} answered {run.coverage} questions" for run in (a, b) if not run.record_set.is_whole]
    alone = max(len(scores_a), len(scores_b)) - shared
    if alone:
        found.append(f"{alone} questions have a score in one run only and are left out")
    return found
