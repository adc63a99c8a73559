"""The spread over orders of the options and over seeds, and the bootstrap (SciFIBench 4.2, Figure 6 and 4.4)."""

from __future__ import annotations

import dataclasses
import math
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import partial_coverage

VARIED = ("shuffle", "seed")
"""The settings over which values spread: the order of the options, and the seed of whatever is drawn."""
MODEL_SEED = "model seed"
_Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Spread:
    """A metric over runs that differ in one thing alone.

    Attributes:
        model, split: whose runs, and on what.
        settings: those of the task that are not the usual ones, without the one that varies.
        over: what varies: `shuffle` (order of the options) or `seed` (of examples, negatives, figures) of the task,
            `model seed`, the argument of the model, or another setting of the task.
        accuracies: value of what varies -> the metric.
        mean: of them.
        sd: their standard deviation, with one less than their number.
        range: highest minus lowest.
        questions: how many of the task's questions were answered, `n of N`, of the runs that answered a part.
    """

    model: str
    split: str
    settings: str
    over: str
    accuracies: dict[int | str, float]
    mean: float
    sd: float
    range: float
    questions: str = ""


@dataclass(frozen=True)
class Bootstrap:
    """Mean and variance of the accuracy, a share from 0 to 1, of resamples; the paper prints both times 100.

    `questions` says how many of the task's questions were answered, `n of N`, where that is a part of them.
    """

    model: str
    task: str
    n: int
    size: int
    repeats: int
    mean: float
    variance: float
    questions: str = ""


def spread(runs: Iterable[Run], metric: str | None = None, over: str | None = None) -> list[Spread]:
    """A metric over runs of a model and split that differ by order of the options or by seed alone, where several do.

    Args:
        runs: those of tasks of this package.
        metric: default: the headline of each task.
        over: the setting that they differ by instead, such as `resolution` (SPIQA, Figure B.1).

    Raises:
        InputError: none do.
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
            numbers = (statistics.fmean(known), statistics.stdev(known), max(known) - min(known))
            found.append(
                Spread(*key, dict(sorted(values.items(), key=_in_order)), *numbers, partial_coverage(members.values()))
            )
    if not found and over is not None:
        raise InputError(
            f"Expected a model's samples of one split that differ by the setting {over} alone, found none. Name runs "
            "of such tasks, or another setting."
        )
    if not found:
        raise InputError(
            "Expected a model's samples of one split in at least two orders of the options or with two seeds, found "
            "none. Run `--tasks scifibench_shuffle`, or YAMLs that differ in their seed."
        )
    return found


def _in_order(item: tuple[int | str, float]) -> tuple[float, str]:
    """Numbers, and texts that begin with one (`224px`), by the number; other texts (`full`) last."""
    number = re.match(r"\d+", str(item[0]))
    return float(number[0]) if number else math.inf, str(item[0])


def _varied(run: Run, over: str | None) -> Iterator[tuple[_Key, int | str]]:
    """What the run shares with those that differ in one thing alone, and what it has of that."""
    settings, seed = run.settings, run.identity.seed
    for name in VARIED if over is None else (over,):
        if hasattr(settings, name):
            yield (run.name, run.own.split, _unusual(settings, name), name), getattr(settings, name)
    if over is not None:
        return
    model = run.label or replace(run.identity, seed="").label
    yield (model, run.own.split, _unusual(settings, ""), MODEL_SEED), int(seed) if seed.isdecimal() else seed


def _unusual(settings: Any, varied: str) -> str:
    """The settings that are not the usual ones, as text, without the one that varies."""
    pairs = zip(dataclasses.fields(settings), settings_text(settings).split(","), strict=True)
    return ",".join(
        text for field, text in pairs if field.name != varied and getattr(settings, field.name) != field.default
    )


def bootstrap(run: Run, size: int, repeats: int, seed: int, metric: str | None = None) -> Bootstrap:
    """Mean and variance of the accuracy of `repeats` resamples of `size` answers with replacement (section 4.4).

    Raises InputError: no answers, or fewer than one resample of one answer.
    """
    scores = list(run.scores(run.metric(metric)).values())
    if not scores or size < 1 or repeats < 1:
        raise InputError(
            f"Expected answers of {run.task} and a size and repeats of at least 1; found {len(scores)} answers, "
            f"size {size} and {repeats} repeats."
        )
    generator = np.random.default_rng(seed)
    means = np.array([generator.choice(scores, size).mean() for _ in range(repeats)])  # one at a time: bounded memory
    numbers = (len(scores), size, repeats, float(means.mean()), float(means.var()))
    return Bootstrap(run.name, run.task, *numbers, run.record_set.part)
