"""Load the runs at the paths on a command line: scored ones for analyses, the others for `score`."""

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.choice_answers import CHOICE_ANSWERS
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
from spiqa_tasks.runs.readers.answers import joined
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import EVERY, Selection

ByTask = list[tuple[Task, list[Run]]]
"""Tasks, each with the answers to it."""


def load_runs(
    paths: Iterable[RunPath], wanted: Selection = EVERY, judges: Literal["each", "one"] = "each"
) -> tuple[list[Run], list[str]]:
    """Return the scored runs at the paths, and remarks on runs that are replaced or left out; `judges` as of `newest`.

    Raises InputError: no runs; DataError: no questions of answers without a score; JudgeError: an unusable judge.
    """
    with said_if_slow("reading the answers"):
        paths = list(paths)
        read, left_out = _with_tasks(paths, wanted)
        runs, remarks = selection.newest(selection.judged_as_wanted(read, wanted.judge), judges)
    remarks += left_out
    rows_of = functools.cache(task_questions)
    runs = [
        run if _has_scores(run, wanted.judge) else _scored(run, wanted, rows_of, remarks)
        for run in runs
    ]
    return [wanted.cut(run) for run in runs], remarks


def own_runs(paths: Iterable[RunPath], wanted: Selection = EVERY) -> tuple[list[Run], list[str]]:
    """Return the runs of this package's tasks that have their answers, and remarks; InputError: none."""
    every, remarks = load_runs(paths, wanted)
    chosen = selection.select_tasks(every, wanted.tasks)
    found = [run for run in _logged(chosen, remarks) if run.records]
    if not found:
        among, places = (
            ", ".join(wanted.tasks) or "this package's tasks",
            sorted({str(run.path) for run in chosen}),
        )
        raise InputError(
            f"Expected samples of {among}; found none in {', '.join(places)}. Run lmms-eval with --log_samples."
        )
    return found, remarks


def unscored_runs(
    paths: Sequence[RunPath], wanted: Selection, name: str = ""
) -> tuple[ByTask, list[str]]:
    """Return each task of this package with its runs at some paths, scored or not, and remarks on others.

    With `name`, only those of a task, a group or a task's YAML; each path is then of another model. Raises InputError:
    an unknown task, a file named twice, no run, or none with answers to a task of ours.
    """
    named = {
        task.name: task for task in (_named_tasks(name, paths, wanted.include) if name else ())
    }
    if name and len({each.path.resolve() for each in paths}) < len(paths):
        raise InputError(
            "Expected different files of predictions, found one of them twice. Name each once."
        )
    wanted = replace(wanted, tasks=tuple(named)) if name else wanted
    remarks: list[str] = []
    by_task: dict[str, list[Run]] = {task: [] for task in named}
    for places in [[each] for each in paths] if name else [paths]:
        read, left_out = _with_tasks(places, wanted)
        if len(named) > 1 and not any(run.task in named for run in read):
            raise InputError(
                f"Expected answers to {name} in {places[0].path}, found none. Call files of answers <model>_<task>, or "
                "name a single task."
            )
        if (
            len(named) == len(read) == 1 and places[0].path.is_file()
        ):  # whatever task it was made for
            read = [replace(read[0], task=wanted.tasks[0])]
        if (
            len(named) == 1
            and places[0].path.is_dir()
            and len(whole := joined(places[0].path, read)) < len(read)
        ):
            read = whole
            remarks.append(
                f"{places[0].path}: files of one name in its folders are read as parts of one run."
            )
        runs, replaced = selection.newest(selection.select_tasks(read, wanted.tasks), "any")
        remarks += replaced + left_out
        for run in [run for run in runs if run.logged] if name else _logged(runs, remarks):
            by_task.setdefault(run.task, []).append(run)
    found = [
        (named.get(task) or task_of_run(of[0], wanted.include), of)
        for task, of in by_task.items()
        if of
    ]
    if not found:
        at, of = ", ".join(str(each.path) for each in paths), name or "this package's tasks"
        raise InputError(
            f"Expected answers to {of} in {at}, found none. {' '.join(remarks)}".strip()
        )
    if missing := [task for task in named if not by_task[task]]:
        remarks.append(f"{name}: no answers to {', '.join(missing)}.")
    return [(task, selection.with_unique_labels(of)) for task, of in found], remarks


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
    """Return the task of a run, with the questions that a filter kept where its YAML is known."""
    try:
        kept = find_tasks([run.task], include)[0].kept
    except InputError:
        kept = None
    return replace(run.own, kept=kept)


def _logged(runs: Sequence[Run], remarks: list[str]) -> list[Run]:
    remarks += selection.missing_samples(runs)
    return [run for run in runs if run.is_own and run.logged]


def _has_scores(run: Run, judge: str | None) -> bool:
    """Whether a run has its scores, of a judge too where one is wanted and its task has a rule for judges."""
    if run.form not in lmms_eval.FORMS:
        return False
    needs_judge = judge is not None and run.logged and run.is_own
    return (
        not needs_judge
        or run.own.benchmark.judge(run.settings) is None
        or bool(run.signature.judge)
    )


def _with_tasks(paths: Sequence[RunPath], wanted: Selection) -> tuple[list[Run], list[str]]:
    """Return the runs at the paths, and a sentence on those in folders whose task is not known.

    Answers that name no task are to the only one that is wanted, or have their own questions.

    Raises InputError: as `read_runs`, or answers without task and questions.
    """
    runs = read_runs(
        paths, wanted.include, wanted.columns, wanted.tasks[0] if len(wanted.tasks) == 1 else ""
    )
    # VLMEvalKit's answers, called after their folder, stand beside what was scored of them
    scored = {(run.path.parent, f"{run.path.parent.name}_{run.task}") for run in runs if run.task}
    unknown = [
        run for run in runs if not run.task and (run.path.parent, run.path.stem) not in scored
    ]
    alone = [
        run
        for run in unknown
        if len(unknown) == len(runs) or run.path in {each.path for each in paths}
    ]
    others = [str(run.path) for run in unknown if run not in alone]
    names = [*others[:FIRST], *[f"{len(others) - FIRST} others"] * (len(others) > FIRST)]
    left_out = [
        f"Left out, with no task in the name: {', '.join(names)}. TASK=FILE names it."
    ] * bool(others)
    return [*(run for run in runs if run.task), *map(_of_no_task, alone)], left_out


def _of_no_task(run: Run) -> Run:
    """The run as answers with their own questions. Raises InputError: these are not in the file."""
    answers = run.read()
    if not any(answer.question and answer.references for answer in answers):
        raise InputError(
            f"Which task do the answers in {run.path} belong to? Add --task TASK, or call the file "
            f"<model>_<task>{run.path.suffix}. Answers without a task need the columns question and "
            "reference, or question, options and answer."
        )

    are_choices = any(answer.options for answer in answers)
    are_choices |= all(answer.known_options for answer in answers)
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
    rule, judge = task.benchmark.judge(task.settings), None
    if rule is not None and wanted.judge is not None:
        judge = make_judge(rule, parse_judge(wanted.judge, environ=os.environ))
    elif rule is not None:
        remarks.append(
            f"{run.path}: not judged. Name a judge with --judge, or score it with --output first."
        )
    return scoring.score(scoring.read(joined, judge))


def _named_tasks(name: str, paths: Sequence[RunPath], include: Sequence[Path]) -> list[Task]:
    """The tasks of a name; where no YAML has it, as a run among the answers recorded it."""
    if name.endswith(".yaml"):
        return [read_task(Path(name))]
    try:
        return find_tasks([name], include)
    except InputError:
        folders = {each.path if each.path.is_dir() else each.path.parent for each in paths}
        runs = read_runs(map(RunPath, sorted(folders)), include)
        recorded = [run for run in runs if run.task == name and run.is_own]
        if not recorded:
            raise
        return [task_of_run(recorded[-1], include)]
