"""The host's runs as answers to score: each task with the configuration that the run itself recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task, find_tasks, task_of
from spiqa_tasks.hosts.lmms_eval.results import Run, find_runs, has_runs, task_runs
from spiqa_tasks.offline.inputs import Input, read_input


def inputs_of_run(
    place: Path, only: Collection[str], include: Sequence[Path]
) -> tuple[list[tuple[Task, list[Input]]], list[str]]:
    """Return each task of ours at a place with its answers, one per model, and what is to be said about others.

    Args:
        place: a result file or a folder.
        only: these tasks; empty: all.
        include: folders with YAMLs of tasks of one's own, which tell the questions that a filter kept.

    Raises:
        InputError: no run, or none with samples of a task of ours.
    """
    runs, remarks = task_runs([place], only)
    found: dict[str, tuple[Task, list[Input]]] = {}
    for ran in runs:
        task, samples = task_of(ran.config), ran.run.samples(ran.task)
        if task is None:
            continue
        if samples is None:
            remarks.append(f"{ran.task} of {ran.identity.label} has no samples; run it with --log_samples.")
            continue
        task = dataclasses.replace(task, kept=_kept(task.name, include))
        label = ran.identity.label
        found.setdefault(task.name, (task, []))[1].append(read_input(label, samples, task))
    if not found:
        raise InputError(
            f"Expected samples of this package's tasks in {place}, found none. {' '.join(remarks)}".strip()
        )
    return list(found.values()), remarks


def task_of_runs(name: str, places: Iterable[Path]) -> Task | None:
    """Return the task of a name as the newest run beside or below some answers recorded it; None where none did."""
    tasks = [task_of(run.configs[name]) for run in _runs(places) if name in run.configs]
    return tasks[-1] if tasks else None


def _runs(places: Iterable[Path]) -> Iterator[Run]:
    for place in places:
        folder = place if place.is_dir() else place.parent
        if has_runs(folder):
            yield from find_runs(folder)


def _kept(name: str, include: Sequence[Path]) -> frozenset[str] | None:
    try:
        return find_tasks([name], include)[0].kept
    except InputError:
        return None
