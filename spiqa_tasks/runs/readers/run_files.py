"""The package's own files of runs (`benchmarks.run_file`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.registry import BENCHMARKS, register_recorded
from spiqa_tasks.benchmarks.run_file import SUFFIX, RunHeader, read_header, read_records, write_run
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.answer import Answer, logged_response
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run

FORM = "run"


def run_files(folder: Path) -> list[Path]:
    """Return the files of runs below a folder, by name."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


def write_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write each scored run to a file of its own; return their paths."""
    judges = len({run.judge_name for run in runs}) > 1
    paths = []
    for run in runs:
        name = "_".join([run.name, run.task, *([run.judge_name or "none"] if judges else [])])
        path = folder / (re.sub(r"[^\w.,=@+-]+", "-", name) + SUFFIX)
        scores = scoring.score_object(run)
        answers = ((a.record, a.response.text, a.place) for a in run.by_id.values() if a.record is not None)
        who, task = run.identity, run.own
        names = (run.task, who.model, who.ablation, who.seed, run.judge, task.benchmark, task.split, task.settings)
        header = RunHeader(*names, run.asked, len(run.by_id), scores["metrics"], task.entry.definition)
        write_run(path, header, scores | summary.intervals(scoring.values_of(run)), answers)
        paths.append(path)
    return paths


def read_run(path: Path) -> Run | None:
    """Return the run of a file; None for a file of another form.

    Raises InputError: a first line that lacks a field, or names a benchmark that is not installed.
    """
    header = read_header(path)
    if header is None:
        return None
    register_recorded(header.definition)
    if header.benchmark not in BENCHMARKS:
        raise InputError(
            f"Expected {path} to be of a benchmark among {', '.join(BENCHMARKS)}, found {header.benchmark}. "
            "Install the package that has it."
        )
    return Run(
        header.task,
        Identity(header.model, header.ablation, header.seed),
        path,
        FORM,
        partial(_answers, path),
        asked=header.questions,
        answered=header.documents,
        definition=Task(header.task, header.benchmark, header.split, header.settings),
        reported={name: value for name, value in header.metrics.items() if value is not None},
        judge=header.judge,
    )


def _answers(path: Path) -> list[Answer]:
    return [
        Answer(record.id, logged_response(record, text), record, place, reference=record.reference)
        for record, text, place in read_records(path)
    ]
