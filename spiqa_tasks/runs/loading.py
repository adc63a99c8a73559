"""Load the runs at the paths on a command line: scored ones for analyses, others for `score`."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.printable import counted, progress
from spiqa_tasks.runs import lmms_eval, scoring, selection
from spiqa_tasks.runs.join import Rows, join_questions, task_questions
from spiqa_tasks.runs.own_questions import of_own_questions
from spiqa_tasks.runs.paths import Faults, RunPath, read_runs
from spiqa_tasks.runs.run import MOST_LISTED, Run
from spiqa_tasks.runs.selection import EVERY, LeftOut, Selection

# METEOR's aligner takes ten seconds for a task of SPIQA, and a table may not ask for it.
_LATER = ("meteor",)

# Tasks, each with the answers to it.
ByTask = list[tuple[Task, list[Run]]]


def load_runs(paths: Iterable[RunPath], wanted: Selection = EVERY) -> tuple[list[Run], list[str]]:
    """Return the scored runs at the paths, and remarks on runs that are replaced or left out.

    Raises InputError: no runs; DataError: no questions of answers without a score.
    """
    runs, remarks = _counting_runs(paths, wanted)

    # runs of one task share its questions, which take seconds to read
    rows_of = functools.cache(task_questions)
    loaded = []
    for run in runs:
        is_scored = _has_scores(run)
        if is_scored:
            run = wanted.part_of(run)
        else:
            run, said = _scored(run, wanted, rows_of)
            remarks += said
        # of a run that was scored without a judge, other scores are what is asked for
        if lacks_judge(run) and (wanted.judge is not None or not is_scored):
            remark = (
                f"{run.path} has no scores of a judge, only of other metrics. `spiqa-tasks score "
                "RUN --judge PROVIDER:MODEL --output DIR` asks one."
            )
            remarks.append(remark if wanted.judge is None else LeftOut(remark))
        loaded.append(run)
    return loaded, remarks


def runs_by_task(
    paths: Sequence[RunPath], wanted: Selection, name: str = "", judged: bool = False
) -> tuple[ByTask, list[str]]:
    """Return each task of this package with its runs at some paths, scored or not, and remarks.

    With `name`, only those of a task or a group. [] if all are of a host's tasks. `judged` is as
    of `runs_that_count`.
    Raises InputError: an unknown task, or no answers to it.
    """
    names = filter(None, [name])
    named = {task.name: task for task in find_tasks(names, wanted.include)}
    if named:
        wanted = replace(wanted, tasks=tuple(named))
    if len(named) == 1:
        # files of answers need not say their task, nor be right about it
        (only,) = named
        paths = [replace(path, task=only) for path in paths]

    runs, remarks = _counting_runs(paths, wanted, judged)
    runs = selection.select_tasks(runs, wanted.tasks)
    remarks += selection.remarks_on(runs)
    by_task = _by_task(runs, named)
    if not by_task:
        _check_host_tasks(name, paths, runs, remarks)
    elif not name:
        remarks += remarks_on_host_tasks(runs)

    missing = named.keys() - {task.name for task, _ in by_task}
    if missing:
        remarks.append(f"{name}: no answers to {', '.join(sorted(missing))}.")
    return by_task, remarks


def remarks_on_host_tasks(runs: Iterable[Run]) -> list[str]:
    """Return a sentence on a host's own tasks that are not scored here, or []."""
    tasks = {run.task for run in runs if not run.is_of_benchmark}
    if not tasks:
        return []
    remark = (
        f"No values of {', '.join(sorted(tasks))}, which only the host scores; "
        "`spiqa-tasks score RUN --task NAME` prints those of one."
    )
    return [LeftOut(remark)]


def _check_host_tasks(
    name: str, paths: Sequence[RunPath], runs: Sequence[Run], remarks: Sequence[str]
) -> None:
    """Raise InputError unless there are answers to a host's own task, and no task is named."""
    if not name and any(run.logged and not run.is_of_benchmark for run in runs):
        return

    what = name or "this package's tasks"
    where = ", ".join(str(path.path) for path in paths)
    others = ", ".join(sorted({run.task for run in runs if not run.is_of_benchmark}))
    found = f"those to {others}." if others else "none."
    raise InputError(
        f"Expected answers to {what} in {where}, found {found} {' '.join(remarks)}".strip()
    )


def _by_task(runs: Iterable[Run], named: Mapping[str, Task]) -> ByTask:
    """Return the tasks of this package, or those that are named, each with the answers to it."""
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        if run.logged and (run.is_of_benchmark or run.task in named):
            by_name.setdefault(run.task, []).append(run)

    by_task = []
    for name, same in by_name.items():
        task = named.get(name) or same[0].benchmark_task
        by_task.append((task, selection.with_unique_labels(same)))
    return by_task


def find_task(name: str, include: Sequence[Path] = ()) -> Task:
    """Return the task of a name. Raises InputError: no such task, or a group."""
    found = find_tasks([name], include)
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(
            f"Expected one task, found the group {name} of {members}. Name one of them."
        )
    return found[0]


def _counting_runs(
    paths: Iterable[RunPath], wanted: Selection, judged: bool = True
) -> tuple[list[Run], list[str]]:
    """Return the wanted runs that count at each path, each once, and remarks on others.

    Runs at different paths do not replace each other. Without `judged`, as for answers that are
    scored again, judges make no difference.
    Raises InputError: there are none.
    """
    only = wanted.tasks[0] if len(wanted.tasks) == 1 else ""
    # a file may be named by itself and by its folder
    counting: dict[tuple[object, ...], Run] = {}
    remarks: list[str] = []
    tasks_seen: set[str] = set()
    with progress("reading the answers"):
        for run_path in paths:
            runs, faults = read_runs(run_path, wanted.include, wanted.columns, only)
            runs, without_task = _of_known_tasks(runs, wanted.tasks)
            tasks_seen |= {run.task for run in runs}
            runs, unreadable = _readable([run for run in runs if wanted.has(run)], faults)
            if judged:
                runs = selection.judged_as_wanted(runs, wanted.judge)
            runs, replaced = selection.runs_that_count(runs, judged)
            remarks += replaced + without_task + unreadable
            for run in runs:
                counting.setdefault((run.path.resolve(), run.task, run.identity), run)

    if tasks_seen and not counting:
        raise selection.no_runs_of(wanted.tasks, tasks_seen)
    return list(counting.values()), list(dict.fromkeys(remarks))


def _of_known_tasks(runs: list[Run], wanted: Sequence[str]) -> tuple[list[Run], list[str]]:
    """Return the runs whose task is known, and a sentence on the others.

    If no task is known, the answers have their own questions.
    """
    known = [run for run in runs if run.task]
    if not known:
        return [of_own_questions(run, wanted) for run in runs], []

    others = [str(run.path) for run in runs if not run.task]
    if not others:
        return known, []

    files = f"{counted(len(others), 'file')}, the first: {', '.join(others[:MOST_LISTED])}"
    return known, [f"Left out, with no task in the name: {files}. TASK=FILE names it."]


def _readable(runs: Sequence[Run], faults: Faults) -> tuple[list[Run], list[str]]:
    """Return the runs whose answers can be read, and remarks on the others and on faults.

    Raises DataError, InputError: none can be read.
    """
    readable = []
    every_fault = [*faults]
    for run in runs:
        try:
            run.read()
            readable.append(run)
        except (DataError, InputError) as error:
            every_fault.append(error)

    if runs and not readable:
        raise every_fault[-1]
    remarks = [f"Left out: {fault}" for fault in every_fault[:MOST_LISTED]]
    if len(every_fault) > MOST_LISTED:
        more = counted(len(every_fault) - MOST_LISTED, "more file")
        remarks.append(f"Left out: {more}. Name one to read why.")
    return readable, list(map(LeftOut, remarks))


def _has_scores(run: Run) -> bool:
    """Return whether a run has scores; answers of --predict_only have none."""
    if run.form not in lmms_eval.FORMS:
        return False
    # of a host's own task, or without samples, the host's scores are all there is
    can_be_scored = run.logged and run.is_of_benchmark
    return bool(run.records) or not can_be_scored


def _scored(run: Run, wanted: Selection, rows_of: Callable[[Task], Rows]) -> tuple[Run, list[str]]:
    """Return the run with its scores, of no judge, and remarks."""
    task = run.benchmark_task if run.is_of_benchmark else find_task(run.task, wanted.include)
    joined, remarks = join_questions(run, task, rows_of=rows_of, subset=wanted.subset)
    scored = scoring.score(scoring.read(joined), later=_LATER)
    return replace(scored, partial=wanted.partial), remarks


def lacks_judge(run: Run) -> bool:
    """Return whether no judge scored the answers of a run, though its task has one."""
    if not run.has_samples or run.signature.judge:
        return False
    return run.benchmark_task.benchmark.judge(run.settings) is not None
