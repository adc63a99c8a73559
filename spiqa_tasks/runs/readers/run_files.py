"""The package's own files of runs (`benchmarks.run_file`)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from spiqa_tasks.benchmarks.registry import BENCHMARKS, register_recorded
from spiqa_tasks.benchmarks.run_file import SUFFIX, read_header, read_records
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.runs.answer import Answer, logged_response
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run

FORM = "run"


def run_files(folder: Path) -> list[Path]:
    """Return the files of runs below a folder, by name."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


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
