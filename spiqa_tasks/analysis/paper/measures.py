"""Spread over orders and seeds, bootstrap (SciFIBench 4.2, 4.4, Figure 6), and rank correlation (SPIQA Table 8)."""

import dataclasses
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

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


def spread(runs: Iterable[Run], metric: str | None = None, over: str | None = None) -> list[Row]:
    """Return a metric over the runs of each model and split that differ by order of the options or by seed alone.

    A row has the `settings` of the task that are not the defaults, without the one that varies; `over`, the setting
    that varies or `model seed`; `accuracies`, its value -> the metric; their mean, sample standard deviation and range;
    and `questions`, `n of N` if a part of the task was answered. `over` names another setting that the runs differ by,
    such as `resolution` (SPIQA, Figure B.1). Raises InputError: no runs that differ so.
    """
    groups: dict[_Key, dict[int | str, Run]] = {}
    for run in runs:
        if not math.isnan(run.value(run.metric(metric)).value):
            for key, what in _varied(run, over):
                groups.setdefault(key, {})[what] = run
    found = []
    for key, members in groups.items():
        if len(members) > 1:
            values = {what: run.value(run.metric(metric)).value for what, run in members.items()}
            known = list(values.values())
            row: Row = dict(zip(("model", "split", "settings", "over"), key, strict=True))
            row |= {
                "accuracies": dict(sorted(values.items(), key=_in_order)),
                "mean": statistics.fmean(known),
            }
            row |= {"sd": statistics.stdev(known), "range": max(known) - min(known)}
            found.append(row | {"questions": partial_coverage(members.values())})
    if not found:
        by = (
            f"that differ by the setting {over} alone"
            if over
            else "in two orders of the options or with two seeds"
        )
        raise InputError(
            f"Expected a model's samples of one split {by}, found none. Name runs such as of scifibench_shuffle."
        )
    return found


def bootstrap(run: Run, size: int, repeats: int, seed: int, metric: str | None = None) -> Row:
    """Return mean and variance of the accuracy, a share, over `repeats` resamples of `size` answers with replacement.

    Raises InputError: no answers, or a `size` or `repeats` below 1.
    """
    scores = list(run.scores(run.metric(metric)).values())
    if not scores or size < 1 or repeats < 1:
        found = f"{len(scores)} answers, size {size} and {repeats} repeats"
        raise InputError(
            f"Expected answers of {run.task} and a size and repeats of at least 1; found {found}."
        )
    generator = np.random.default_rng(seed)
    means = np.array(
        [generator.choice(scores, size).mean() for _ in range(repeats)]
    )  # one at a time: bounded memory
    row = {"model": run.name, "task": run.task, "n": len(scores), "size": size, "repeats": repeats}
    return row | {
        "mean": float(means.mean()),
        "variance": float(means.var()),
        "questions": run.record_set.part,
    }


def correlations(runs: Iterable[Run]) -> tuple[list[Row], list[str]]:
    """Return the correlations of every run, then of all of a judge if there are several; and the runs left out.

    A row has Spearman's rho, in [-1, 1], of a text metric with the judge's score over `n` answers; None if undefined.
    The paper does not say what it correlates; here it is scores of single answers, which BLEU has not. A model's
    answers to a task count once for each judge. Raises InputError: no run has L3Score.
    """
    found: list[Row] = []
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
            if pairs := matched(l3scores, run.scores(metric)):
                names = (metric.name, run.judged_metric, run.judge_name)
                pooled.setdefault(names, []).extend(pairs)
                found.append(_correlation(run.name, run.task, names, pairs))
    if not found:
        raise InputError(
            "Expected runs of SPIQA with L3Score and a text metric for every answer, found none. Run with a judge, or "
            f"have `spiqa-tasks score` fill the judgements in. {' '.join(remarks)}".strip()
        )
    by_judge = Counter(judge for _, _, judge in counted)
    found += [
        _correlation(ALL_RUNS, "", names, pairs)
        for names, pairs in pooled.items()
        if by_judge[names[2]] > 1
    ]
    return found, remarks


def _correlation(model: str, task: str, names: tuple[str, str, str], pairs: Pairs) -> Row:
    metric, judged, judge = names
    row = {
        "model": model,
        "task": task,
        "metric": metric,
        "correlated_with": judged,
        "n": len(pairs),
    }
    return row | {"spearman": rank_correlations(pairs)[0], "judge": judge}


def _in_order(item: tuple[int | str, float]) -> tuple[float, str]:
    """Sort numbers, and texts that begin with one (`224px`), by the number; other texts (`full`) last."""
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
