"""Runs on SciFIBench's questions."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from host_files import sample_of, write_run

from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

RowsOf = Callable[[str, str], list[dict[str, Any]]]
CAPTIONING = "scifibench_demo_captioning"


def answered(rows: Sequence[Mapping[str, Any]], wrong: int) -> list[dict[str, Any]]:
    """Return a sample per row: the first `wrong` answers are wrong, the others right."""
    samples = []
    for index, row in enumerate(rows):
        wrong_letter = "B" if row["answer"] == "A" else "A"
        samples.append(sample_of(row, wrong_letter if index < wrong else row["answer"]))
    return samples


def write_own(
    folder: Path, model: str, tasks: Mapping[str, Sequence[Mapping[str, Any]]], **options: Any
) -> Path:
    """Write a run of tasks of SciFIBench; `options` as of `write_run`."""
    options = {"settings": dict.fromkeys(tasks, ""), "split": "cs_fig2cap", **options}
    return write_run(folder, model, tasks, benchmark="scifibench", **options)


def write_captions(
    folder: Path, model: str, samples: Sequence[Mapping[str, Any]], **more: Any
) -> Path:
    """Write a run of the demo's captioning task."""
    options = {"settings": {CAPTIONING: "prompt=caption"}, "split": "demo_fig2cap", **more}
    return write_own(folder, model, {CAPTIONING: samples}, **options)


def load(*folders: Path, **wanted: Any) -> list[Run]:
    """Return the runs in folders; `wanted` are fields of a `Selection`."""
    return load_runs([RunPath(folder) for folder in folders], Selection(**wanted))[0]


def write(
    folder: Path, model: str, tasks: dict[str, tuple[str, int]], rows_of: RowsOf, **options: Any
) -> None:
    """Write a run; `tasks` is task -> (settings, number of wrong answers to its 14 questions)."""
    samples = {
        task: answered(rows_of("cs_fig2cap", settings), wrong)
        for task, (settings, wrong) in tasks.items()
    }
    settings = {task: settings for task, (settings, _) in tasks.items()}
    write_own(folder, model, samples, settings=settings, **options)
