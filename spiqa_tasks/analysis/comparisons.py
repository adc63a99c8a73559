"""The alignment study, the spread over orders of the options, and the bootstrap (SciFIBench 4.7, 4.2, 4.4)."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.clustered import clustered_bootstrap
from spiqa_tasks.scoring.intervals import bootstrap_means

REPEATS = 10_000
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Change:
    """An augmented task against its control on the `n` questions that both answered; shares from 0 to 1.

    `low` and `high` end the 95% percentile interval of the paired bootstrap of `change`.
    """

    model: str
    split: str
    mark: str
    ignore: str
    n: int
    control: float
    accuracy: float
    change: float
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """Accuracy over orders of the options: `accuracies` by the setting `shuffle`; `range` is highest minus lowest."""

    model: str
    split: str
    accuracies: dict[int, float]
    mean: float
    sd: float
    range: float


@dataclass(frozen=True)
class Bootstrap:
    """Mean and variance of the accuracy, a share from 0 to 1, of resamples; the paper prints both times 100."""

    model: str
    task: str
    n: int
    size: int
    repeats: int
    mean: float
    variance: float


def alignment(runs: Iterable[Run], metric: str | None = None) -> list[Change]:
    """Every marked task against the unmarked one of the same model and split, otherwise with the same settings.

    Raises:
        InputError: no marked task, or one without its control.
    """
    known = _scifibench(runs)
    controls = {_key(run, settings): run for run, settings in known if settings.mark == "none"}
    changes = []
    for run, settings in known:
        if settings.mark == "none":
            continue
        control = controls.get(_key(run, replace(settings, mark="none", ignore="no")))
        if control is None:
            raise InputError(
                f"Expected the control of {run.task} of {run.name}, the same task without a mark, found none. "
                "Run `--tasks scifibench_alignment`, or name its run as well."
            )
        changes.append(_change(run, control, settings, metric))
    if not changes:
        raise InputError("Expected samples of marked tasks, found none. Run `--tasks scifibench_alignment`.")
    return changes


def spread(runs: Iterable[Run], metric: str | None = None) -> list[Spread]:
    """Accuracy over the orders of the options, of every model and split that has at least two.

    Raises:
        InputError: none has.
    """
    groups: dict[Key, dict[int, float]] = {}
    for run, settings in _scifibench(runs):
        scores = _scores(run, metric)
        if scores:
            orders = groups.setdefault(_key(run, replace(settings, shuffle=0)), {})
            orders[settings.shuffle] = statistics.fmean(scores.values())
    found = [
        Spread(
            model, split, dict(sorted(orders.items())), statistics.fmean(values), statistics.stdev(values), top - low
        )
        for (model, split, _), orders in groups.items()
        if len(values := list(orders.values())) > 1
        for low, top in [(min(values), max(values))]
    ]
    if not found:
        raise InputError(
            "Expected a model's samples of one split in at least two orders of the options, found none. "
            "Run `--tasks scifibench_shuffle`."
        )
    return found


def bootstrap(run: Run, size: int, repeats: int, seed: int, metric: str | None = None) -> Bootstrap:
    """Mean and variance of the accuracy of `repeats` resamples of `size` answers with replacement (section 4.4).

    Raises:
        InputError: no answers, or fewer than one resample of one answer.
    """
    scores = list(_scores(run, metric).values())
    if not scores or size < 1 or repeats < 1:
        raise InputError(
            f"Expected answers of {run.task} and a size and repeats of at least 1; found {len(scores)} answers, "
            f"size {size} and {repeats} repeats."
        )
    means = bootstrap_means(scores, repeats, size, seed)
    return Bootstrap(run.name, run.task, len(scores), size, repeats, float(means.mean()), float(means.var()))


def _scifibench(runs: Iterable[Run]) -> Sequence[tuple[Run, SciFIBenchSettings]]:
    return [(run, run.settings) for run in runs if isinstance(run.settings, SciFIBenchSettings)]


def _scores(run: Run, metric: str | None) -> dict[str, float]:
    return run.scores(run.metric(metric))


def _key(run: Run, settings: SciFIBenchSettings) -> Key:
    return run.name, run.own.split, settings_text(settings)


def _change(run: Run, control: Run, settings: SciFIBenchSettings, metric: str | None) -> Change:
    new, old = (_scores(each, metric) for each in (run, control))
    ids = sorted(new.keys() & old.keys())
    if not ids:
        raise InputError(f"Expected {run.task} and {control.task} to share questions, found none. Run both in full.")
    differences = [new[key] - old[key] for key in ids]
    before, after = (statistics.fmean(scores[key] for key in ids) for scores in (old, new))
    interval = clustered_bootstrap(differences, [None] * len(ids), REPEATS, 0)
    return Change(
        run.name, run.own.split, settings.mark, settings.ignore, len(ids), before, after, after - before, *interval
    )
