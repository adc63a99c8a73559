"""Join answers to the task's questions, from the release or from the answers file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spiqa_tasks.benchmarks import choice_answers, free_answers
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.choice_answers import CHOICE_ANSWERS
from spiqa_tasks.benchmarks.free_answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.registry import known_figures, rows_for_scoring
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.runs.answer import Answer, compared, match, match_remarks
from spiqa_tasks.runs.readers import spiqa_responses
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.subset import Subset

Rows = Sequence[Mapping[str, Any]]
ROWS_IN_FILE: Mapping[str, Callable[[Rows, str], Rows]] = {
    FREE_ANSWERS.name: free_answers.rows_in_file,
    CHOICE_ANSWERS.name: choice_answers.rows_in_file,
}
"""Benchmark of answers without a task -> function that makes the rows of a file's questions."""


def task_questions(task: Task) -> Rows:
    """Return a task's questions for scoring, in the release's order. Raises as `registry.load_rows`."""
    rows = rows_for_scoring(task.benchmark, task.split, task.settings_text)
    return rows if task.kept is None else [row for row in rows if row["id"] in task.kept]


def join_questions(
    run: Run,
    task: Task,
    accept_differences: bool = False,
    rows_of: Callable[[Task], Rows] = task_questions,
    subset: Subset | None = None,
) -> tuple[Run, list[str]]:
    """Return a run of the answers to a task's questions, scored as they were made, and remarks.

    `rows_of` finds the questions of a task; several runs of one may share them. Only those of `subset` count.
    Raises InputError: answers made with different settings, ids of no question, or see `match` and `compared`;
    DataError: the questions are not there, and not in the file either.
    """
    remarks: list[str] = []
    answers = list(run.read())
    if not all(answer.id for answer in answers):
        raise InputError(
            f"Expected an id with each answer to {task.name} in {run.path}. Add it or name its column with --columns "
            f"id=COLUMN; `spiqa-tasks score {run.path}` alone takes the questions in the file."
        )
    ran = _as_run(task, run)
    rows = rows_of(ran) if ran.benchmark_name not in ROWS_IN_FILE else _rows_in_file(ran, answers)
    form = run.form
    if form == spiqa_responses.FORM:
        given, (answers, form) = answers, spiqa_responses.with_row_ids(answers, rows)
        is_asked = form == spiqa_responses.PER_FIGURE and ran.settings.figures != "referred"
        others = {row["id"] for row in rows if not row["referred"]} if is_asked else set()
        if is_asked and not any(answer.id in others for answer in answers):
            # the released scripts for open models ask about the figures that a question needs alone
            ran = replace(
                ran, settings_text=settings_text(replace(ran.settings, figures="referred"))
            )
            rows = rows_of(ran)
            answers, form = spiqa_responses.with_row_ids(given, rows)
    if ran.settings_text != task.settings_text:
        remarks.append(
            f"{run.name}: scored as it was made, with {ran.settings_text}; {task.name} has {task.settings_text}."
        )
    if subset is not None:
        others = {row["id"] for row in rows}
        rows, ran = subset.rows(task.name, rows), replace(ran, kept=frozenset(subset.ids))
        others -= {row["id"] for row in rows}
        answers = [answer for answer in answers if answer.id not in others]
    found, unmatched = match(run.path, answers, rows)
    names_figures = any(answer.response.shown for answer in found.values())
    figures = known_figures(ran.benchmark, ran.split) if names_figures else {}
    found, unmatched["differing"], said = compared(
        run.path, found, rows, figures, accept_differences
    )
    remarks += [f"{task.name}: {run.path}: {remark}" for remark in match_remarks(unmatched)]
    remarks += [f"{task.name}: {remark}" for remark in said]
    ids, answers = "" if subset is None else subset.digest, list(found.values())
    joined = replace(
        run,
        task=ran.name,
        definition=ran,
        form=form,
        read=lambda: answers,
        rows=rows,
        ids=ids,
        unmatched=unmatched,
    )
    return joined, remarks


def _rows_in_file(task: Task, answers: Sequence[Answer]) -> Rows:
    """The questions in a file of answers; files of the same questions have the same data digest."""
    table = [
        {
            "id": answer.id,
            "question": answer.question,
            "options": dict(answer.known_options),
            "answer": "/".join(answer.references),
            "references": answer.references,
        }
        for answer in answers
    ]
    asked = [
        {name: str(cells[name]) for name in ("id", "question", "options", "answer") if cells[name]}
        for cells in table
    ]
    return ROWS_IN_FILE[task.benchmark_name](table, f"table {digest_of(asked)}")


def _as_run(task: Task, run: Run) -> Task:
    """The task with the settings that the answers were made with, less those of scoring."""
    told = {settings for answer in run.read() if (settings := answer.signature.settings)}
    if not told:
        return task
    scoring = {name: getattr(task.settings, name) for name in task.benchmark.scoring}
    made = {settings_text(replace(task.benchmark.parse(text), **scoring)) for text in told}
    if len(made) > 1:
        raise InputError(
            f"Expected answers made with the same settings in {run.path}, found {'; '.join(sorted(made))}. "
            "Score them apart."
        )
    settings = made.pop()
    return (
        task if settings == settings_text(task.settings) else replace(task, settings_text=settings)
    )
