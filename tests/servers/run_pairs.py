"""Pairs of runs with images and without, for the tests of what is aligned and of which runs
belong together.
"""

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
    return load_runs([RunPath(folder)], Selection(**wanted))[0]


def only(runs: Sequence[Run], *args: Any, **options: Any) -> GainRuns:
    """The only pair, of which nothing is to be said."""
    (found,), *told = ablation_pairs(runs, *args, **options)
    assert told == [[], []]
    return found


def scores(found: GainRuns) -> dict[str, tuple[float, ...]]:
    """Id -> score in each run, of the questions that have one in all."""
    both = merged([questions(run, found.metric) for run in found.runs])
    columns = both[[f"score_{number}" for number in range(len(found.runs))]]
    return {key: tuple(values) for key, *values in columns.itertuples()}


def write_pair(folder: Path, v: list[Any], wv: list[Any], **options: Any) -> list[Run]:
    """A task of the host with images and without."""
    write_run(folder, "m", {"t": v}, stamp="1", **options)
    write_run(folder, "ablated", {"t": wv}, "base=m,ablation=text", stamp="2", **options)
    return load(folder)
