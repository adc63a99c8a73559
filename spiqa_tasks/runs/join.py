"""Join answers to the task's questions, from the release or from the answers file."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spiqa_tasks.benchmarks.answers import has_no_task, rows_in_file
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.registry import Task, known_figures, rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.matching import Unmatched, compared, match, match_remarks
from spiqa_tasks.runs.readers import lmms_eval, spiqa_responses
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.subset import Subset

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Joined:
    """A run whose answers are those to the rows of its task.

    Attributes:
        ids: digest of the list of the only questions that count, or ''.
        unmatched: answers that did not fit the rows.
    """

    run: Run
    rows: Rows
    unmatched: Unmatched
    ids: str = ""


def task_questions(task: Task) -> Rows:
    """Return a task's questions for scoring, in the release's order.

    Raises as `registry.load_rows`.
    """
    rows = rows_for_scoring(task.benchmark, task.split, task.settings_text)
    return rows if task.kept is None else [row for row in rows if row["id"] in task.kept]


def join_questions(
    run: Run,
    task: Task,
    accept_differences: bool = False,
    rows_of: Callable[[Task], Rows] = task_questions,
    subset: Subset | None = None,
) -> tuple[Joined, list[str]]:
    """Return a run joined to a task's questions, to be scored as it was made, and remarks.

    `rows_of` finds the questions of a task; several runs of one may share them. Only those of
    `subset` count.
    Raises InputError: answers made with different settings, ids of no question, or see `match` and
    `compared`; DataError: the questions are not there, and not in the file either.
    """
    answers = list(run.read())
    _check_ids(run, task, answers)
    asked = _asked_task(run, task)
    is_in_file = has_no_task(asked.benchmark)
    rows = _rows_in_file(asked, answers) if is_in_file else rows_of(asked)

    form = run.form
    if form == spiqa_responses.FORM:
        asked, rows, answers, form = _released(asked, rows, answers, rows_of)
    remarks = []
    if asked.settings_text != task.settings_text:
        remarks.append(
            f"{run.name}: scored as it was made, with {asked.settings_text}; {task.name} has "
            f"{task.settings_text}."
        )

    if subset is not None:
        kept = subset.rows(task.name, rows)
        asked = replace(asked, kept=frozenset(subset.ids))
        answers = _answers_to(kept, rows, answers)
        rows = kept

    matched, unmatched = match(run.path, answers, rows)
    figures = _figures(asked, matched)
    matched, unmatched["differing"], said = compared(
        run.path, matched, rows, figures, accept_differences
    )
    remarks += [f"{task.name}: {run.path}: {remark}" for remark in match_remarks(unmatched)]
    remarks += [f"{task.name}: {remark}" for remark in said]

    found = list(matched.values())
    joined = replace(run, task=asked.name, definition=asked, form=form, read=lambda: found)
    digest = "" if subset is None else subset.digest
    return Joined(joined, rows, unmatched, digest), remarks


def _answers_to(kept: Rows, rows: Rows, answers: Sequence[Answer]) -> list[Answer]:
    """The answers without those to other rows of the task; unknown ids stay."""
    others = {row["id"] for row in rows} - {row["id"] for row in kept}
    return [answer for answer in answers if answer.id not in others]


def _figures(task: Task, answers: Mapping[str, Answer]) -> Mapping[str, Collection[str]]:
    """Paper -> files of its figures, if answers name figures."""
    if not any(answer.response.shown for answer in answers.values()):
        return {}
    return known_figures(task.benchmark, task.split)


def _check_ids(run: Run, task: Task, answers: Sequence[Answer]) -> None:
    """Raise InputError if an answer has neither an id nor a place among a host's documents."""
    if run.form in lmms_eval.FORMS or all(answer.id for answer in answers):
        return
    raise InputError(
        f"Expected an id with each answer to {task.name} in {run.path}. Add it or name its column "
        f"with --columns id=COLUMN; `spiqa-tasks score {run.path}` alone takes the questions in "
        "the file."
    )


def _released(
    task: Task, rows: Rows, answers: Sequence[Answer], rows_of: Callable[[Task], Rows]
) -> tuple[Task, Rows, list[Answer], str]:
    """The task, rows and form of SPIQA's response files, and their answers with the rows' ids.

    The released scripts for open models ask about the figures that a question needs alone.
    """
    found, form = spiqa_responses.with_row_ids(answers, rows)
    if form != spiqa_responses.PER_FIGURE or task.settings.figures == "referred":
        return task, rows, found, form

    others = {row["id"] for row in rows if not row["referred"]}
    if any(answer.id in others for answer in found):
        return task, rows, found, form
    asked = replace(task, settings_text=settings_text(replace(task.settings, figures="referred")))
    rows = rows_of(asked)
    found, form = spiqa_responses.with_row_ids(answers, rows)
    return asked, rows, found, form


def _rows_in_file(task: Task, answers: Sequence[Answer]) -> Rows:
    """The questions in a file of answers; files of the same questions have the same digest."""
    table = []
    asked = []
    for answer in answers:
        cells = {
            "id": answer.id,
            "question": answer.question,
            "options": dict(answer.known_options),
            "answer": "/".join(answer.references),
        }
        asked.append({name: str(cell) for name, cell in cells.items() if cell})
        table.append({**cells, "references": answer.references})
    return rows_in_file(task.benchmark, table, f"table {digest_of(asked)}")


def _asked_task(run: Run, task: Task) -> Task:
    """The task with the settings that the answers were made with, less those of scoring."""
    logged = {answer.signature.settings for answer in run.read()} - {""}
    if not logged:
        return task

    scoring = {name: getattr(task.settings, name) for name in task.benchmark.scoring}
    made = {settings_text(replace(task.benchmark.parse(text), **scoring)) for text in logged}
    if len(made) > 1:
        raise InputError(
            f"Expected answers made with the same settings in {run.path}, found "
            f"{'; '.join(sorted(made))}. Score them apart."
        )
    (settings,) = made
    is_same = settings == settings_text(task.settings)
    return task if is_same else replace(task, settings_text=settings)
