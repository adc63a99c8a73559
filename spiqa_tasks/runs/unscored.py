"""Find the answers that `score` is to score, by task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import default_source, demo_source
from spiqa_tasks.hosts.catalogue import find_tasks, read_task
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.readers.columns import USUAL, Columns
from spiqa_tasks.runs.run import Run

ByTask = list[tuple[Task, list[Run]]]
IdsOf = Callable[[Task], Collection[str]]


def own_tasks(place: RunPath, only: Collection[str], include: Sequence[Path]) -> tuple[ByTask, list[str]]:
    """Return each task of this package that has runs at a path, with these, and remarks on others.

    Args:
        place: a file or folder of a host, or of `score --output`.
        only: these tasks; empty: all.
        include: folders with YAMLs of further tasks, which have the questions that a filter kept.

    Raises:
        InputError: no run, or none with answers to a task of ours.
    """
    runs, remarks = selection.newest(selection.select_tasks(read_runs([place], include), only))
    own = [run for run in runs if run.benchmark is not None]
    remarks += selection.missing_samples(own)
    found: dict[str, tuple[Task, list[Run]]] = {}
    for run in (run for run in own if run.logged):
        task = task_of_run(run, include)
        found.setdefault(run.task, (task, []))[1].append(run)
    if not found:
        raise InputError(
            f"Expected answers to this package's tasks in {place.path}, found none. {' '.join(remarks)}".strip()
        )
    return [(task, selection.with_unique_labels(runs)) for task, runs in found.values()], remarks


def answers_to(
    name: str, paths: Sequence[Path], include: Sequence[Path], columns: Columns = USUAL
) -> tuple[ByTask, list[str]]:
    """Return the answers at some paths to a task, or to each task of a group that has answers there.

    Args:
        name: of the task or group, or the path of a task's YAML.
        paths: files or folders, one for each model.
        include: folders with YAMLs of further tasks.
        columns: the names of the columns of answer files.

    Raises:
        InputError: an unknown task, a file named twice, or no answers to the task.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("Expected different files of predictions, found one of them twice. Name each once.")
    tasks = _tasks(name, paths, include)
    remarks: list[str] = []
    found: ByTask = []
    ids_of = cache(_known_ids)
    read = cache(partial(_read, tasks=tasks, ids_of=ids_of, include=include, columns=columns))
    for task in tasks:
        runs = [run for path in paths for run in _at(path, task, read, remarks, alone=len(tasks) == 1)]
        if runs:
            found.append((task, selection.with_unique_labels(runs)))
    if not found:
        raise InputError(
            f"Expected answers to {name} in {', '.join(map(str, paths))}, found none. Call files of answers "
            "<model>_<task>, or name a single task."
        )
    missing = [task.name for task in tasks if task not in [each for each, _ in found]]
    return found, remarks + ([f"{name}: no answers to {', '.join(missing)}."] if missing else [])


def task_of_run(run: Run, include: Sequence[Path]) -> Task:
    """Return the task of a run, with the questions that a filter kept where its YAML is known."""
    try:
        kept = find_tasks([run.task], include)[0].kept
    except InputError:
        kept = None
    return replace(run.own, kept=kept)


def _tasks(name: str, paths: Sequence[Path], include: Sequence[Path]) -> list[Task]:
    """The tasks of a name; where no YAML has it, as a run among the answers recorded it."""
    if name.endswith(".yaml"):
        return [read_task(Path(name))]
    try:
        return find_tasks([name], include)
    except InputError:
        folders = {path if path.is_dir() else path.parent for path in paths}
        runs = read_runs([RunPath(folder) for folder in sorted(folders)], include)
        recorded = [run for run in runs if run.task == name and run.benchmark is not None]
        if not recorded:
            raise
        return [task_of_run(recorded[-1], include)]


def _read(path: Path, tasks: Sequence[Task], ids_of: IdsOf, include: Sequence[Path], columns: Columns) -> list[Run]:
    """The runs at a path; a file that names no task is of the one of several whose ids it has."""
    runs = read_runs([RunPath(path)], include, columns)
    if len(tasks) == 1:
        return runs
    return [run if run.task else replace(run, task=_task_by_ids(run, tasks, ids_of)) for run in runs]


def _task_by_ids(run: Run, tasks: Sequence[Task], ids_of: IdsOf) -> str:
    """The task that more than half of the answers, and more than to any other, are to; empty for none."""
    ids = [answer.id for answer in run.read()]
    counts = {
        task.name: sum(each in known or each.partition("/")[0] in known for each in ids)
        for task in tasks
        for known in [ids_of(task)]
    }
    best = max([*counts.values(), len(ids) // 2 + 1])
    names = [name for name, count in counts.items() if count == best]
    return names[0] if len(names) == 1 else ""


def _known_ids(task: Task) -> Collection[str]:
    """The ids of a task's questions and of their papers; empty without the release."""
    source = demo_source() if task.split.startswith("demo") else default_source(fetches=False)
    try:
        rows = rows_for_scoring(task.entry, task.split, task.settings, source)
    except DataError:
        return frozenset()
    return frozenset(str(row[key]) for row in rows for key in ("id", "paper_id") if key in row)


def _at(path: Path, task: Task, read: Callable[[Path], list[Run]], remarks: list[str], alone: bool) -> list[Run]:
    """The answers at a path to a task; those that name no task are of the only one that is asked for."""
    runs, replaced = selection.newest(read(path))
    named = [run for run in runs if run.task == task.name and run.logged]
    if not named and alone:
        named = runs if path.is_file() else [run for run in runs if not run.task]
        if len(named) != 1:
            names = ", ".join(str(run.path.relative_to(path)) if path.is_dir() else run.task for run in named) or "none"
            raise InputError(f"Expected one file of answers to {task.name} in {path}, found {names}. Name one of them.")
    remarks += [remark for remark in replaced if remark.startswith(f"{task.name} ")]
    return [replace(run, task=task.name) for run in named]
