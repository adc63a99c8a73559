"""Load the runs at the paths on a command line: scored ones for analyses, the others for `score`."""

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.benchmarks.free_answers import FREE_ANSWERS, SPLIT
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
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

ByTask = list[tuple[Task, list[Run]]]
"""Tasks, each with the answers to it."""


def load_runs(
    paths: Iterable[RunPath], wanted: Selection = EVERY, judges: Literal["each", "one"] = "each"
) -> tuple[list[Run], list[str]]:
    """Return the scored runs at the paths, and remarks on runs that are replaced or left out; `judges` as of `newest`.

    Raises:
        InputError: no runs, none of the tasks, or see `read_runs` and `join_questions`.
        DataError: answers without a score whose questions are not there.
        JudgeError: a judge that cannot be used.
    """
    with said_if_slow("reading the answers"):
        paths = list(paths)
        read, left_out = _with_tasks(paths, wanted)
        runs, remarks = selection.newest(selection.judged_as_wanted(read, wanted.judge), judges)
    remarks += left_out
    rows_of = functools.cache(task_questions)
    runs = [run if _has_scores(run, wanted.judge) else _scored(run, wanted, rows_of, remarks) for run in runs]
    return [wanted.cut(run) for run in runs], remarks


def own_runs(paths: Iterable[RunPath], wanted: Selection = EVERY) -> tuple[list[Run], list[str]]:
    """Return the runs of this package's tasks that have their answers, and sentences about the others.

    Raises InputError: there are none; or see `load_runs`.
    """
    every, remarks = load_runs(paths, wanted)
    chosen = selection.select_tasks(every, wanted.tasks)
    found = [run for run in _logged(chosen, remarks) if run.records]
    if not found:
        among = f" among {', '.join(wanted.tasks)}" if wanted.tasks else ""
        raise InputError(
            f"Expected samples of this package's tasks{among}; found none in "
            f"{', '.join(sorted({str(run.path) for run in chosen}))}. Run lmms-eval with --log_samples and "
            "--output_path."
        )
    return found, remarks


def runs_by_task(paths: Sequence[RunPath], wanted: Selection) -> tuple[ByTask, list[str]]:
    """Return each task of this package that has runs at some paths, with these, scored or not, and remarks on others.

    Raises InputError: no run, or none with answers to a task of ours.
    """
    read, left_out = _with_tasks(paths, replace(wanted, tasks=()))
    runs, remarks = selection.newest(selection.select_tasks(read, wanted.tasks), "any")
    remarks += left_out
    by_task: dict[str, list[Run]] = {}
    for run in _logged(runs, remarks):
        by_task.setdefault(run.task, []).append(run)
    if not by_task:
        named = ", ".join(str(each.path) for each in paths)
        raise InputError(
            f"Expected answers to this package's tasks in {named}, found none. {' '.join(remarks)}".strip()
        )
    found = [(task_of_run(of[0], wanted.include), selection.with_unique_labels(of)) for of in by_task.values()]
    return found, remarks


def answers_to(name: str, paths: Sequence[Path], wanted: Selection) -> tuple[ByTask, list[str]]:
    """Return the answers at some paths, scored or not, to a task, or to each task of a group that has some there.

    `name` is that of the task or group, or the path of a task's YAML; `paths` are files or folders, one for each model.

    Raises InputError: an unknown task, a file named twice, or no answers to the task.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("Expected different files of predictions, found one of them twice. Name each once.")
    tasks = _named_tasks(name, paths, wanted.include)
    remarks: list[str] = []
    missing: list[str] = []
    found: ByTask = []
    read = [(path, read_runs([RunPath(path)], wanted.include, wanted.columns)) for path in paths]
    newest = [(path, *selection.newest(runs, "any")) for path, runs in read]
    for task in tasks:
        of_task = []
        for path, runs, replaced in newest:
            of_task += _runs_of(task, runs, path, is_alone=len(tasks) == 1)
            remarks += [remark for remark in replaced if remark.startswith(f"{task.name} ")]
            remarks += _left_out(
                [run for run in runs if not run.task and run.path not in {each.path for each in of_task}]
            )
        if of_task:
            found.append((task, selection.with_unique_labels(of_task)))
        else:
            missing.append(task.name)
    if not found:
        raise InputError(
            f"Expected answers to {name} in {', '.join(map(str, paths))}, found none. Call files of answers "
            "<model>_<task>, or name a single task."
        )
    return found, remarks + ([f"{name}: no answers to {', '.join(missing)}."] if missing else [])


def find_task(name: str, include: Sequence[Path] = ()) -> Task:
    """Return the task of a name. Raises InputError: no such task, or a group."""
    found = find_tasks([name], include)
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(f"Expected one task, found the group {name} of {members}. Name one of them.")
    return found[0]


def task_of_run(run: Run, include: Sequence[Path]) -> Task:
    """Return the task of a run, with the questions that a filter kept where its YAML is known."""
    try:
        kept = find_tasks([run.task], include)[0].kept
    except InputError:
        kept = None
    return replace(run.own, kept=kept)


def _logged(runs: Sequence[Run], remarks: list[str]) -> list[Run]:
    """The runs of this package's tasks with answers; adds a remark on each of those without."""
    remarks += selection.missing_samples(runs)
    return [run for run in runs if run.is_own and run.logged]


def _has_scores(run: Run, judge: str | None) -> bool:
    """Whether a run has its scores, of a judge too where one is wanted and its task has a rule for judges."""
    if run.form not in lmms_eval.FORMS:
        return False
    needs_judge = judge is not None and run.logged and run.is_own
    return not needs_judge or run.own.entry.judge(run.settings) is None or bool(run.signature.judge)


def _with_tasks(paths: Sequence[RunPath], wanted: Selection) -> tuple[list[Run], list[str]]:
    """The runs at the paths, and a sentence on those in folders whose task is not known.

    Answers that name no task are to the only one that is wanted, unless a run beside them in the folder names it. Else
    they are of no task, where they have their questions and references.

    Raises InputError: a task that nobody says, of a path that is named or of all in the folders; or see `read_runs`.
    """
    runs = read_runs(paths, wanted.include, wanted.columns)
    only = next(iter(wanted.tasks)) if len(wanted.tasks) == 1 else ""
    named = {folder for run in runs if run.task == only for folder in run.path.parents}
    folders = [place.path for place in paths if place.path in named]
    runs = [run if run.task or set(folders) & set(run.path.parents) else replace(run, task=only) for run in runs]
    # VLMEvalKit's answers, called after their folder, stand beside what was scored of them
    scored = {(run.path.parent, f"{run.path.parent.name}_{run.task}") for run in runs if run.task}
    unknown = [run for run in runs if not run.task and (run.path.parent, run.path.stem) not in scored]
    alone = [run for run in unknown if len(unknown) == len(runs) or run.path in {each.path for each in paths}]
    others = [run for run in unknown if run not in alone]
    return [*(run for run in runs if run.task), *map(_of_no_task, alone)], _left_out(others)


def _of_no_task(run: Run) -> Run:
    """The run as free answers with their questions and references. Raises InputError: it is none."""
    answers = run.read()
    has_questions = any(answer.question and answer.references for answer in answers)
    if not has_questions or any(answer.options or options_in(answer.question) for answer in answers):
        raise InputError(
            f"Expected to know the task of the answers in {run.path}, found no task in its name. Name it as "
            f"TASK={run.path}, call the file <model>_<task>{run.path.suffix}, or add --task TASK. Only free answers "
            "with the columns question and reference need none."
        )
    task = Task(FREE_ANSWERS.name, FREE_ANSWERS, SPLIT, settings_text(FREE_ANSWERS.settings()))
    numbered = [replace(answer, id=answer.id or str(place)) for place, answer in enumerate(answers, 1)]
    return replace(run, task=task.name, definition=task, read=lambda: numbered)


def _left_out(runs: Sequence[Run]) -> list[str]:
    """The sentence on answers in a folder of which no task is known."""
    names = [*map(str, (run.path for run in runs[:FIRST])), *[f"{len(runs) - FIRST} others"] * (len(runs) > FIRST)]
    return [f"Left out, with no task in the name: {', '.join(names)}. TASK=FILE names it."] * bool(runs)


def _scored(run: Run, wanted: Selection, rows_of: Callable[[Task], Rows], remarks: list[str]) -> Run:
    """The answers scored, by the judge that is wanted where their task needs one."""
    task = task_of_run(run, wanted.include) if run.is_own else find_task(run.task, wanted.include)
    matched = join_questions(run, task, rows_of=rows_of, subset=wanted.subset)
    remarks += matched.remarks
    rule, judge = task.entry.judge(task.typed), None
    if rule is not None and wanted.judge is not None:
        judge = make_judge(rule, parse_judge(wanted.judge, environ=os.environ))
    elif rule is not None:
        remarks.append(f"{run.path}: not judged. Name a judge with --judge, or score it with --output first.")
    return scoring.score(scoring.read(matched, judge))


def _named_tasks(name: str, paths: Sequence[Path], include: Sequence[Path]) -> list[Task]:
    """The tasks of a name; where no YAML has it, as a run among the answers recorded it."""
    if name.endswith(".yaml"):
        return [read_task(Path(name))]
    try:
        return find_tasks([name], include)
    except InputError:
        folders = {path if path.is_dir() else path.parent for path in paths}
        runs = read_runs([RunPath(folder) for folder in sorted(folders)], include)
        recorded = [run for run in runs if run.task == name and run.is_own]
        if not recorded:
            raise
        return [task_of_run(recorded[-1], include)]


def _runs_of(task: Task, runs: Sequence[Run], path: Path, is_alone: bool) -> list[Run]:
    """The runs to a task among those at a path; answers that name no task are of the only one that is asked for."""
    named = [run for run in runs if run.task == task.name and run.logged]
    if not named and is_alone:
        named = [run for run in runs if path.is_file() or not run.task]
        if len(named) != 1:
            names = ", ".join(str(run.path.relative_to(path)) if path.is_dir() else run.task for run in named) or "none"
            raise InputError(f"Expected one file of answers to {task.name} in {path}, found {names}. Name one of them.")
    return [replace(run, task=task.name) for run in named]
