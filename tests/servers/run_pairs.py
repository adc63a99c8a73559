"""Pairs of runs with and without images."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from host_files import write_run

from spiqa_tasks.analysis.gain import GainRuns, ablation_pairs
from spiqa_tasks.analysis.merging import merged, questions
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection


def load(folder: Path, **wanted: Any) -> list[Run]:
    """Return the runs in a folder; `wanted` are fields of a `Selection`."""
    return load_runs([RunPath(folder)], Selection(**wanted))[0]


def only(runs: Sequence[Run], *args: Any, **options: Any) -> GainRuns:
    """Return the only pair of `ablation_pairs`, which has no remarks."""
    (pair,), *remarks = ablation_pairs(runs, *args, **options)
    assert remarks == [[], []]
    return pair


def scores(pair: GainRuns) -> dict[str, tuple[float, ...]]:
    """Return id -> scores in the runs of a pair, for questions with a score in all of them."""
    both = merged([questions(run, pair.metric) for run in pair.runs])
    columns = both[[f"score_{number}" for number in range(len(pair.runs))]]
    return {key: tuple(values) for key, *values in columns.itertuples()}


def write_pair(folder: Path, v: list[Any], wv: list[Any], **options: Any) -> list[Run]:
    """Write runs of a host's own task with and without images; return them."""
    write_run(folder, "m", {"t": v}, stamp="1", **options)
    write_run(folder, "ablated", {"t": wv}, "base=m,ablation=text", stamp="2", **options)
    return load(folder)
