"""Load the runs at the paths on a command line: scored ones for analyses, others for `score`."""

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from spiqa_tasks.benchmarks.answers import CHOICE_ANSWERS, FREE_ANSWERS, SPLIT
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks, read_task
from spiqa_tasks.judge.judge import make_judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import said_if_slow
from spiqa_tasks.runs import scoring, selection
from spiqa_tasks.runs.answer import FIRST
from spiqa_tasks.runs.join import Rows, join_questions, task_questions
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import EVERY, Selection

# Tasks, each with the answers to it.
ByTask = list[tuple[Task, list[Run]]]


def load_runs(paths: Iterable[RunPath], wanted: Selection = EVERY) -> tuple[list[Run], list[str]]:
    """Return the scored runs at the paths, and remarks on runs that are replaced or left out.

    Runs at different paths do not replace each other.
    Raises InputError: no runs; DataError: no questions of answers without a score; JudgeError: an
    unusable judge.
    """
    runs: list[Run] = []
    remarks: list[str] = []
    with said_if_slow("reading the answers"):
        for place in paths:
            read, left_out = _with_tasks([place], wanted)
            read, broken = _readable(read, wanted)
            judged = selection.judged_as_wanted(read, wanted.judge)
            counting, replaced = selection.runs_that_count(judged)
            runs += counting
            remarks += replaced + left_out + broken

    rows_of = functools.cache(task_questions)
    loaded = []
    for run in _distinct(runs):
        if not _has_scores(run, wanted.judge):
            run = _scored(run, wanted, rows_of, remarks)
        loaded.append(wanted.cut(run))
    return loaded, remarks


def own_runs(paths: Iterable[RunPath], wanted: Selection = EVERY) -> tuple[list[Run], list[str]]:
    """Return the runs of this package's tasks that have their answers, and remarks.

    Raises InputError: there are none.
    """
    every, remarks = load_runs(paths, wanted)
    chosen = selection.select_tasks(every, wanted.tasks)
    found = [run for run in _logged(chosen, remarks) if run.records]
    if not found:
        tasks = ", ".join(wanted.tasks) or "this package's tasks"
        files = ", ".join(sorted({str(run.path) for run in chosen}))
        raise InputError(
            f"Expected samples of {tasks}; found none in {files}. Run lmms-eval with "
            f"--log_samples. {' '.join(remarks)}".strip()
        )
    return found, remarks


def unscored_runs(
    paths: Sequence[RunPath], wanted: Selection, name: str = ""
) -> tuple[ByTask, list[str]]:
    """Return each task of this package with its runs at some paths, scored or not, and remarks.

    With `name`, only those of a task, a group or a task's YAML; each path is then another model's.
    Raises InputError: an unknown task, a file named twice, or no answers to a task of ours.
    """
    if name:
        return _runs_of_named(paths, wanted, name)

    read, remarks = _with_tasks(paths, wanted)
    read, broken = _readable(selection.select_tasks(read, wanted.tasks), wanted)
    runs, replaced = selection.runs_that_count(read, judged=False)
    remarks = replaced + remarks + broken
    by_task: dict[str, list[Run]] = {}
    for run in _logged(runs, remarks):
        by_task.setdefault(run.task, []).append(run)
    if not by_task:
        raise _no_answers("this package's tasks", paths, remarks)

    tasks = {task: task_of_run(of[0], wanted.include) for task, of in by_task.items()}
    return [
        (tasks[task], selection.with_unique_labels(of)) for task, of in by_task.items()
    ], remarks


def find_task(name: str, include: Sequence[Path] = ()) -> Task:
    """Return the task of a name. Raises InputError: no such task, or a group."""
    found = find_tasks([name], include)
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(
            f"Expected one task, found the group {name} of {members}. Name one of them."
        )
    return found[0]


def task_of_run(run: Run, include: Sequence[Path]) -> Task:
    """Return the task of a run, with the questions that a filter kept if its YAML is known."""
    try:
        kept = find_tasks([run.task], include)[0].kept
    except InputError:
        kept = None
    return replace(run.own, kept=kept)


def _runs_of_named(
    paths: Sequence[RunPath], wanted: Selection, name: str
) -> tuple[ByTask, list[str]]:
    """The runs at each path to the tasks of a name."""
    _check_distinct(paths)
    named = {task.name: task for task in _named_tasks(name, paths, wanted.include)}
    wanted = replace(wanted, tasks=tuple(named))
    runs: list[Run] = []
    remarks: list[str] = []
    for place in paths:
        read, left_out = _with_tasks([place], wanted)
        read, broken = _readable(_to_tasks(place, read, named, name), wanted)
        counting, replaced = selection.runs_that_count(read, judged=False)
        runs += [run for run in counting if run.logged]
        remarks += replaced + left_out + broken

    if not runs:
        raise _no_answers(name, paths, remarks)

    found: ByTask = []
    missing: list[str] = []
    for task_name, task in named.items():
        of_task = [run for run in runs if run.task == task_name]
        if of_task:
            found.append((task, selection.with_unique_labels(of_task)))
        else:
            missing.append(task_name)

    if missing:
        remarks.append(f"{name}: no answers to {', '.join(missing)}.")
    return found, remarks


def _check_distinct(paths: Sequence[RunPath]) -> None:
    if len({place.path.resolve() for place in paths}) < len(paths):
        raise InputError(
            "Expected different files of predictions, found one of them twice. Name each once."
        )


def _to_tasks(place: RunPath, runs: list[Run], named: dict[str, Task], name: str) -> list[Run]:
    """The runs at a path to the named tasks; a file alone is of the only one, whatever it says."""
    if len(named) == len(runs) == 1 and place.path.is_file():
        runs = [replace(runs[0], task=next(iter(named)))]
    if len(named) > 1 and not any(run.task in named for run in runs):
        raise InputError(
            f"Expected answers to {name} in {place.path}, found none. Call files of answers "
            "<model>_<task>, or name a single task."
        )
    return selection.select_tasks(runs, list(named))


def _distinct(runs: Iterable[Run]) -> list[Run]:
    """The runs, each once where one path is within another."""
    found = {(run.path.resolve(), run.task, run.identity.label): run for run in reversed([*runs])}
    return list(found.values())[::-1]


def _no_answers(what: str, paths: Sequence[RunPath], remarks: Sequence[str]) -> InputError:
    places = ", ".join(str(place.path) for place in paths)
    return InputError(
        f"Expected answers to {what} in {places}, found none. {' '.join(remarks)}".strip()
    )


def _logged(runs: Sequence[Run], remarks: list[str]) -> list[Run]:
    remarks += selection.missing_samples(runs)
    return [run for run in runs if run.is_own and run.logged]


def _readable(runs: Sequence[Run], wanted: Selection) -> tuple[list[Run], list[str]]:
    """The runs whose answers can be read, and a sentence on each other one.

    Raises DataError, InputError: the only run that is asked for cannot be read.
    """
    asked = [run for run in runs if wanted.has(run)]
    faults: dict[int, DataError | InputError] = {}
    for run in asked:
        try:
            if run.logged:
                run.read()
        except (DataError, InputError) as error:
            faults[id(run)] = error

    if faults and len(faults) == len(asked):
        raise next(iter(faults.values()))
    found = [run for run in runs if id(run) not in faults]
    return found, [f"Left out: {error}" for error in faults.values()]


def _has_scores(run: Run, judge: str | None) -> bool:
    """Whether a run has its scores, of a judge too if one is wanted and its task has a rule."""
    if run.form not in lmms_eval.FORMS:
        return False
    if not (run.logged and run.is_own):
        return True
    if not run.records:
        return not run.read()  # answers of --predict_only have no records
    needs_judge = judge is not None and run.own.benchmark.judge(run.settings) is not None
    return not needs_judge or bool(run.signature.judge)


def _with_tasks(paths: Sequence[RunPath], wanted: Selection) -> tuple[list[Run], list[str]]:
    """Return the runs at the paths, and a sentence on those in folders whose task is not known.

    Answers that name no task are to the only one that is wanted, or have their own questions.
    Raises InputError: as `read_runs`, or answers without task and questions.
    """
    only = wanted.tasks[0] if len(wanted.tasks) == 1 else ""
    runs = read_runs(paths, wanted.include, wanted.columns, only)
    known = [run for run in runs if run.task]

    # VLMEvalKit's answers, called after their folder, stand beside what was scored of them
    scored = {(run.path.parent, f"{run.path.parent.name}_{run.task}") for run in known}
    unknown = [
        run for run in runs if not run.task and (run.path.parent, run.path.stem) not in scored
    ]
    named = {place.path for place in paths}
    alone = [run for run in unknown if not known or run.path in named]
    others = [str(run.path) for run in unknown if run not in alone]

    return [*known, *map(_of_no_task, alone)], _without_task(others)


def _without_task(paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    more = f", {len(paths) - FIRST} others" if len(paths) > FIRST else ""
    names = ", ".join(paths[:FIRST]) + more
    return [f"Left out, with no task in the name: {names}. TASK=FILE names it."]


def _of_no_task(run: Run) -> Run:
    """The run as answers with their own questions.

    Raises InputError: these are not in the file.
    """
    answers = run.read()
    if not any(answer.question and any(answer.references) for answer in answers):
        raise InputError(
            f"Which task do the answers in {run.path} belong to? Add --task TASK, or call the file "
            f"<model>_<task>{run.path.suffix}. Answers without a task need the columns question "
            "and reference, or question, options and answer."
        )

    has_options = any(answer.options for answer in answers)
    are_choices = has_options or all(answer.known_options for answer in answers)
    benchmark = CHOICE_ANSWERS if are_choices else FREE_ANSWERS
    task = Task(benchmark.name, benchmark, SPLIT, settings_text(benchmark.settings()))
    numbered = [
        replace(answer, id=answer.id or str(place)) for place, answer in enumerate(answers, 1)
    ]
    return replace(run, task=task.name, definition=task, read=lambda: numbered)


def _scored(
    run: Run, wanted: Selection, rows_of: Callable[[Task], Rows], remarks: list[str]
) -> Run:
    task = task_of_run(run, wanted.include) if run.is_own else find_task(run.task, wanted.include)
    joined, said = join_questions(run, task, rows_of=rows_of, subset=wanted.subset)
    remarks += said

    judge = None
    rule = task.benchmark.judge(task.settings)
    if rule is not None and wanted.judge is not None:
        judge = make_judge(rule, parse_judge(wanted.judge, environ=os.environ))
    elif rule is not None:
        remarks.append(
            f"{run.path}: not judged. Name a judge with --judge, or score it with --output first."
        )
    return scoring.score(scoring.read(joined, judge))


def _named_tasks(name: str, paths: Sequence[RunPath], include: Sequence[Path]) -> list[Task]:
    """The tasks of a name; without a YAML of it, as a run among the answers recorded it."""
    if name.endswith(".yaml"):
        return [read_task(Path(name))]
    try:
        return find_tasks([name], include)
    except InputError:
        places = (place.path if place.path.is_dir() else place.path.parent for place in paths)
        runs = read_runs(map(RunPath, sorted(set(places))), include)
        recorded = [run for run in runs if run.task == name and run.is_own]
        if not recorded:
            raise
        return [task_of_run(recorded[-1], include)]
