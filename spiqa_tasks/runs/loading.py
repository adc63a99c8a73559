"""Load scored runs from the paths on a command line."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.judge.judge import make_judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import said_if_slow
from spiqa_tasks.runs import scoring, selection
from spiqa_tasks.runs.join import Rows, join_questions, task_questions
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.readers.columns import USUAL, Columns
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.subset import Subset
from spiqa_tasks.runs.unscored import task_of_run


@dataclass(frozen=True)
class Selection:
    """Select runs, and values over them.

    Attributes:
        tasks: only these; empty: all.
        judge: only scores by this judge; answers without a score are judged by it. None: whatever judge scored them.
        partial: whether values over a part of a task are wanted, too.
        include: folders with YAMLs of further tasks.
        columns: the names of the columns of answer files.
        subset: the only questions that count, of the runs of the tasks.
    """

    tasks: Collection[str] = ()
    judge: str | None = None
    partial: bool = False
    include: Sequence[Path] = ()
    columns: Columns = USUAL
    subset: Subset | None = None

    def cut(self, run: Run) -> Run:
        """Return a run with the only questions that count, and with values over a part of a task where wanted."""
        is_of = not self.tasks or {run.task, selection.source_task(run)} & set(self.tasks)
        return replace(run if self.subset is None or not is_of else self.subset.of(run), partial=self.partial)


def load_runs(places: Iterable[RunPath], wanted: Selection = Selection()) -> tuple[list[Run], list[str]]:
    """Return the scored runs at the paths, and remarks on runs that are replaced or left out.

    Raises:
        InputError: no runs, none of the tasks, or see `read_runs` and `join_questions`.
        DataError: answers without a score whose questions are not there.
        JudgeError: a judge that cannot be used.
    """
    with said_if_slow("reading the answers"):
        read = [_with_task(run, wanted) for run in read_runs(places, wanted.include, wanted.columns)]
        runs, remarks = selection.newest(_judged_as_wanted(read, wanted.judge))
    rows_of = functools.cache(task_questions)
    runs = [run if _has_scores(run, wanted.judge) else _scored(run, wanted, rows_of, remarks) for run in runs]
    return [wanted.cut(run) for run in runs], remarks


def own_runs(places: Iterable[RunPath], wanted: Selection = Selection()) -> tuple[list[Run], list[str]]:
    """Return the runs of this package's tasks that have their answers, and sentences about the others.

    Raises InputError: there are none; or see `load_runs`.
    """
    every, remarks = load_runs(places, wanted)
    chosen = selection.select_tasks(every, wanted.tasks)
    own = [run for run in chosen if run.benchmark is not None]
    remarks += selection.missing_samples(own)
    found = [run for run in own if run.logged and run.records]
    if not found:
        among = f" among {', '.join(wanted.tasks)}" if wanted.tasks else ""
        raise InputError(
            f"Expected samples of this package's tasks{among}; found none in "
            f"{', '.join(sorted({str(run.path) for run in chosen}))}. Run lmms-eval with --log_samples and "
            "--output_path."
        )
    return found, remarks


def find_task(name: str, include: Sequence[Path] = ()) -> Task:
    """Return the task of a name. Raises InputError: no such task, or a group."""
    found = find_tasks([name], include)
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(f"Expected one task, found the group {name} of {members}. Name one of them.")
    return found[0]


def is_judged_by(run: Run, judge: str) -> bool:
    """Return whether a run has scores of no judge, or of `provider:model[@URL]`; without a URL at whatever server."""
    named, signature = parse_judge(judge, environ=os.environ), run.signature
    is_there = "@http" not in judge or signature.judge_host == named.host
    return not signature.judge or (signature.judge == named.name and is_there)


def _has_scores(run: Run, judge: str | None) -> bool:
    """Whether a run has its scores, of a judge too where one is wanted and its task has a rule for judges."""
    if run.form not in lmms_eval.FORMS:
        return False
    needs_judge = judge is not None and run.logged and run.benchmark is not None
    return not needs_judge or run.own.entry.judge(run.settings) is None or bool(run.signature.judge)


def _judged_as_wanted(runs: Sequence[Run], judge: str | None) -> Sequence[Run]:
    """The runs without those that another judge scored, those of lmms-eval first, by the dates in their files' names.

    Raises InputError: other judges scored all.
    """
    runs = sorted(
        runs, key=lambda run: (True, "") if run.form not in lmms_eval.FORMS else (False, run.date or run.path.name)
    )
    found = [run for run in runs if judge is None or not run.logged or is_judged_by(run, judge)]
    if runs and not found:
        judges = ", ".join(sorted({run.judge_name for run in runs}))
        raise InputError(f"Expected scores by the judge {judge}, found those by {judges}. Correct --judge.")
    return found


def _with_task(run: Run, wanted: Selection) -> Run:
    """The run with the only task that is wanted, where nothing else says which it is."""
    if run.task:
        return run
    if len(wanted.tasks) == 1:
        return replace(run, task=next(iter(wanted.tasks)))
    raise InputError(
        f"Expected to know the task of the answers in {run.path}, found no task in its name. Name it as "
        f"TASK={run.path}, call the file <model>_<task>{run.path.suffix}, or add --task TASK."
    )


def _scored(run: Run, wanted: Selection, rows_of: Callable[[Task], Rows], remarks: list[str]) -> Run:
    """The answers scored, by the judge that is wanted where their task needs one."""
    task = find_task(run.task, wanted.include) if run.definition is None else task_of_run(run, wanted.include)
    matched = join_questions(run, task, rows_of=rows_of, subset=wanted.subset)
    remarks += matched.remarks
    rule, judge = task.entry.judge(task.typed), None
    if rule is not None and wanted.judge is not None:
        judge = make_judge(rule, parse_judge(wanted.judge, environ=os.environ))
    elif rule is not None:
        remarks.append(f"{run.path}: not judged. Name a judge with --judge, or score it with --output first.")
    scorer = make_scorer(matched.task.entry, matched.task.settings, "offline", judge)
    return scoring.score(scoring.read(matched, scorer))
