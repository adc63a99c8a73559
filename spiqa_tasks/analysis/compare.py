"""Runs of the same task against each other: paired differences, samples won and lost, and what speaks against it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.analysis.logged_answers import Answers, read_answers
from spiqa_tasks.analysis.own_runs import OwnRun, own_runs
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import has_runs, task_runs
from spiqa_tasks.scoring.paired import PairedDifference, holm, paired_difference

DECISIVE = ("data", "prompt", "settings", "grey", "matcher", "tokenizer")
"""The fields of a signature in which two numbers must agree to be compared, beside those of the judge."""


@dataclass(frozen=True)
class Side:
    """The scores that one run's answers to a task have by one metric.

    Attributes:
        run: the run, for people.
        task, metric: of the scores.
        scores: id -> score; answers without one are left out.
        clusters: id -> what the question shares with others, where it does.
        signature: how the scores were made; empty for tasks of the host.
    """

    run: str
    task: str
    metric: str
    scores: Mapping[str, float]
    clusters: Mapping[str, str | None]
    signature: Signature


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


def labelled_runs(places: Sequence[Path], tasks: Collection[str] = ()) -> tuple[list[OwnRun], list[str]]:
    """Return the runs of our tasks at each place; where two places have the same model, its runs are told apart.

    Raises:
        InputError: see `own_runs`.
    """
    runs: dict[tuple[Path, str, str, str], OwnRun] = {}
    remarks: list[str] = []
    for place in places:
        found, said = own_runs([place], tasks)
        remarks += said
        runs |= {(run.path, run.task, run.model, run.signature.judge): run for run in found}
    same: dict[tuple[str, str], list[OwnRun]] = {}
    for run in runs.values():
        same.setdefault((run.task, run.model), []).append(run)
    return [dataclasses.replace(run, model=_label(run, same[run.task, run.model])) for run in runs.values()], remarks


def own_sides(runs: Iterable[OwnRun], metric: str | None = None) -> list[Side]:
    """Return the scores of runs by one metric; by default each task's first one that two of its runs have."""
    by_task: dict[str, list[OwnRun]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    found: list[Side] = []
    for members in by_task.values():
        names = dict.fromkeys(each.name for run in members for each in run.metrics)
        for name in names if metric is None else [metric]:
            sides = [side_of(run, each) for run in members for each in run.metrics if each.name == name]
            if sum(bool(side.scores) for side in sides) > 1:
                found += sides
                break
    return found


def side_of(run: OwnRun, metric: Metric) -> Side:
    """Return the scores of a run by a metric; none where its value is no mean over answers (BLEU)."""
    value = run.value(metric)
    scores = dict(value.scores)
    known = list(scores.values())
    is_mean = bool(known) and math.isclose(math.fsum(known) / len(known), value.value, abs_tol=1e-9)
    clusters = {record.id: record.cluster for record in (*run.records, *run.questions)}
    withheld = math.isnan(value.value)
    return Side(run.model, run.task, metric.name, scores if is_mean or withheld else {}, clusters, run.signature)


def host_sides(places: Sequence[Path], tasks: Collection[str] = (), metric: str | None = None) -> list[Side]:
    """Return the scores of the host's own tasks that have samples with one score a question."""
    found = []
    for place in places:
        for source in task_runs([place], tasks)[0] if has_runs(place) else ():
            if source.settings is None and source.run.samples(source.task) is not None:
                found.append(_host_side(source.identity.label, read_answers(source.run, source.task, metric)))
    return found


def compare(sides: Sequence[Side]) -> list[Comparison]:
    """Return every pair of runs of one task and metric, the later minus the earlier, p-values corrected together."""
    found = [_compared(a, b) for a, b in _pairs(sides)]
    corrected = holm([comparison.difference.p for comparison in found])
    return [dataclasses.replace(comparison, p_corrected=p) for comparison, p in zip(found, corrected, strict=True)]


def compared_places(
    places: Sequence[Path], tasks: Collection[str] = (), metric: str | None = None
) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons of the runs at `places`, and what is to be said about them.

    Raises:
        InputError: no two runs of one task with scores by that metric.
    """
    remarks: list[str] = []
    own: list[OwnRun] = []
    of_host = host_sides(places, tasks, metric)
    try:
        own, remarks = labelled_runs(places, tasks)
    except InputError:
        if not of_host:
            raise
    found = compare([*own_sides(own, metric), *of_host])
    if not found:
        names = ", ".join(sorted({f"{run.task} of {run.model}" for run in own} | {side.task for side in of_host}))
        raise InputError(
            f"Expected two runs of one task{f' with scores by {metric}' if metric else ''}; found {names}. "
            "Name the folders of the runs to compare."
        )
    return found, remarks


def differing(a: Signature, b: Signature) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values."""
    judge = tuple(name for name in a.__dataclass_fields__ if name.startswith("judge"))
    return [
        f"{name}: {getattr(a, name) or 'none'} and {getattr(b, name) or 'none'}"
        for name in (*DECISIVE, *judge)
        if getattr(a, name) != getattr(b, name)
    ]


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    groups: dict[tuple[str, str], list[Side]] = {}
    for side in sides:
        groups.setdefault((side.task, side.metric), []).append(side)
    for members in groups.values():
        yield from ((a, b) for a, b in itertools.combinations(members, 2) if a.scores.keys() & b.scores.keys())


def _compared(a: Side, b: Side) -> Comparison:
    ids = [key for key in a.scores if key in b.scores]
    differences = [b.scores[key] - a.scores[key] for key in ids]
    found = paired_difference(differences, [a.clusters.get(key) or key for key in ids])
    score_a, score_b = (math.fsum(side.scores[key] for key in ids) / len(ids) for side in (a, b))
    won = [key for key, difference in zip(ids, differences, strict=True) if difference > 0]
    lost = [key for key, difference in zip(ids, differences, strict=True) if difference < 0]
    warnings = _warnings(a, b, len(ids))
    return Comparison(a.task, a.metric, a.run, b.run, score_a, score_b, found, found.p, won, lost, warnings)


def _warnings(a: Side, b: Side, shared: int) -> list[str]:
    found = [f"differ in {difference}" for difference in differing(a.signature, b.signature)]
    alone = max(len(a.scores), len(b.scores)) - shared
    if alone:
        found.append(f"{alone} questions have a score in one run only and are left out")
    return found


def _host_side(label: str, answers: Answers) -> Side:
    scores = {key: answer.score for key, answer in answers.by_id.items() if answer.score is not None}
    return Side(label, answers.task, answers.metric, scores, {}, answers.signature)


def _label(run: OwnRun, same: Sequence[OwnRun]) -> str:
    """The run's model, told apart from other runs of the same model to the task by its judge, else by its folder."""
    if len(same) == 1:
        return run.model
    if len({each.signature.judge for each in same}) == len(same):
        return f"{run.model}, judge {run.signature.judge or 'none'}"
    return f"{run.model} ({'/'.join(run.path.parent.parts[-2:])})"
