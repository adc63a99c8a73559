"""Spread over orders and seeds, bootstrap (SciFIBench 4.2, 4.4, Figure 6), and rank correlation
(SPIQA Table 8).
"""

import dataclasses
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import partial_coverage
from spiqa_tasks.scoring.ranking import Pairs, matched, rank_correlations

ALL_RUNS = "all runs"
MODEL_SEED = "model seed"
VARIED = ("shuffle", "seed")
_Key = tuple[str, str, str, str]
Row = dict[str, Any]


class _Correlated(NamedTuple):
    """A text metric, the judged metric that it is correlated with, and the judge."""

    metric: str
    judged: str
    judge: str


def spread(runs: Iterable[Run], metric: str | None = None, over: str | None = None) -> list[Row]:
    """Return how a metric varies over runs of a model and split that differ in one thing alone.

    That is the order of the options or a seed (SciFIBench 4.2, Figure 6), or the setting that
    `over` names, such as `resolution` (SPIQA, Figure B.1). A row has the other `settings` that
    are not the defaults; `over`; `accuracies`, value of the setting -> metric; their mean,
    sample standard deviation and range; and `questions`, `n of N` if a part of the task was
    answered. Raises InputError: no runs that differ so.
    """
    groups: dict[_Key, dict[int | str, Run]] = {}
    for run in runs:
        if not math.isnan(run.value(run.metric(metric)).value):
            for key, value in _varied(run, over):
                groups.setdefault(key, {})[value] = run

    rows = [_spread(key, members, metric) for key, members in groups.items() if len(members) > 1]
    if not rows:
        by = "in two orders of the options or with two seeds"
        if over:
            by = f"that differ by the setting {over} alone"
        raise InputError(
            f"Expected a model's samples of one split {by}, found none. "
            "Name runs such as of scifibench_shuffle."
        )

    return rows


def _spread(key: _Key, members: Mapping[int | str, Run], metric: str | None) -> Row:
    model, split, settings, over = key
    values = {what: run.value(run.metric(metric)).value for what, run in members.items()}
    known = list(values.values())
    return {
        "model": model,
        "split": split,
        "settings": settings,
        "over": over,
        "accuracies": dict(sorted(values.items(), key=_in_order)),
        "mean": statistics.fmean(known),
        "sd": statistics.stdev(known),
        "range": max(known) - min(known),
        "questions": partial_coverage(members.values()),
    }


def bootstrap(run: Run, size: int, repeats: int, seed: int, metric: str | None = None) -> Row:
    """Return mean and variance of the accuracy, a share, over `repeats` resamples of `size` answers
    with replacement.

    Raises InputError: no answers, or a `size` or `repeats` below 1.
    """
    scores = list(run.scores(run.metric(metric)).values())
    if not scores or size < 1 or repeats < 1:
        found = f"{len(scores)} answers, size {size} and {repeats} repeats"
        raise InputError(
            f"Expected answers of {run.task} and a size and repeats of at least 1; found {found}."
        )

    generator = np.random.default_rng(seed)
    # one resample at a time: a matrix of all would take gigabytes
    means = np.array([generator.choice(scores, size).mean() for _ in range(repeats)])

    return {
        "model": run.name,
        "task": run.task,
        "n": len(scores),
        "size": size,
        "repeats": repeats,
        "mean": float(means.mean()),
        "variance": float(means.var()),
        "questions": run.record_set.part,
    }


def correlations(runs: Iterable[Run]) -> tuple[list[Row], list[str]]:
    """Return Spearman's rho of every text metric with the judge's score, and remarks on runs left
    out.

    A row per run and metric, then one per metric and judge over all runs of that judge, if it
    has several. rho is in [-1, 1], over `n` answers, or None if undefined. The paper does not
    say what it correlates; here it is scores of single answers, which BLEU has not. Raises
    InputError: no run has L3Score.
    """
    judged, remarks = _runs_with_judge(runs)

    rows: list[Row] = []
    pooled: dict[_Correlated, Pairs] = {}
    for run in judged:
        for names, pairs in _score_pairs(run):
            rows.append(_correlation(run.name, run.task, names, pairs))
            pooled.setdefault(names, []).extend(pairs)

    if not rows:
        expected = (
            "Expected runs of SPIQA with L3Score and a text metric for every answer, found none."
        )
        remedy = "Run with a judge, or have `spiqa-tasks score` fill the judgements in."
        raise InputError(" ".join([expected, remedy, *remarks]))

    runs_of_judge = Counter(run.judge_name for run in judged)
    for names, pairs in pooled.items():
        if runs_of_judge[names.judge] > 1:
            rows.append(_correlation(ALL_RUNS, "", names, pairs))

    return rows, remarks


def _runs_with_judge(runs: Iterable[Run]) -> tuple[list[Run], list[str]]:
    """Return one run per task, model and judge that has judged scores, and remarks on the
    others.
    """
    counted: dict[tuple[str, Identity, str], Run] = {}
    remarks: list[str] = []
    for run in runs:
        if not _judged_scores(run):
            withheld = run.record_set.withheld()
            reason = "it has no L3Score" if withheld is None else withheld.reason
            remarks.append(f"{run.task} of {run.name} is left out: {reason}.")
            continue

        first = counted.setdefault((run.task, run.identity, run.judge_name), run)
        if first is not run:
            remarks.append(
                f"{run.task} of {run.name} is left out: {first.path} has answers of the same model "
                "and judge, too."
            )

    return list(counted.values()), remarks


def _judged_scores(run: Run) -> Mapping[str, float]:
    return run.scores(run.metric(run.judged_metric)) if run.judged_metric else {}


def _score_pairs(run: Run) -> Iterator[tuple[_Correlated, Pairs]]:
    """Yield each text metric with its scores beside the judge's, answer by answer."""
    judged = _judged_scores(run)
    for metric in run.metrics:
        if metric.needs == "text programs" and (pairs := matched(judged, run.scores(metric))):
            yield _Correlated(metric.name, run.judged_metric, run.judge_name), pairs


def _correlation(model: str, task: str, names: _Correlated, pairs: Pairs) -> Row:
    return {
        "model": model,
        "task": task,
        "metric": names.metric,
        "correlated_with": names.judged,
        "n": len(pairs),
        "spearman": rank_correlations(pairs)[0],
        "judge": names.judge,
    }


def _in_order(item: tuple[int | str, float]) -> tuple[float, str]:
    """Sort numbers, and texts that begin with one (`224px`), by the number; other texts (`full`)
    last.
    """
    number = re.match(r"\d+", str(item[0]))
    return float(number[0]) if number else math.inf, str(item[0])


def _varied(run: Run, over: str | None) -> Iterator[tuple[_Key, int | str]]:
    """Yield (what runs that differ in one thing alone share, the value of that thing)."""
    settings, seed, split = run.settings, run.identity.seed, run.own.split
    for name in (over,) if over else VARIED:
        if hasattr(settings, name):
            yield (run.name, split, _unusual(settings, name), name), getattr(settings, name)
    if not over:
        model = run.label or replace(run.identity, seed="").label
        yield (
            (model, split, _unusual(settings, ""), MODEL_SEED),
            int(seed) if seed.isdecimal() else seed,
        )


def _unusual(settings: Any, varied: str) -> str:
    """Return the settings that are not the defaults, as text, without the one that varies."""
    pairs = zip(dataclasses.fields(settings), settings_text(settings).split(","), strict=True)
    return ",".join(
        text
        for field, text in pairs
        if field.name != varied and getattr(settings, field.name) != field.default
    )
