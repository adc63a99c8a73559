"""The answers of text-only classifiers as runs of models that saw no picture, which every command reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.shortcuts import Shortcut
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.scorer_factory import make_scorer
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.jsonl import FORM
from spiqa_tasks.runs.readers.run_files import write_runs
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.task_rows import matched_run

if TYPE_CHECKING:
    from spiqa_tasks.hosts.lmms_eval.task_documents import TaskDocuments

MODEL = "shortcut_"
"""What the name of a classifier begins with where it stands for a model's."""


def run_of(task: Task, name: str, answers: Mapping[str, str]) -> Run:
    """Return a classifier's answers to a task of ours, scored without a judge."""
    given = [Answer(key, Response(text)) for key, text in answers.items()]
    run = Run(task.name, Identity(MODEL + name, "text"), Path(name), FORM, lambda: given)
    return scoring.score(
        scoring.read(matched_run(run, task), make_scorer(task.benchmark, task.settings, "offline", None))
    )


def write_answers(folder: Path, task: Task | TaskDocuments, found: Sequence[Shortcut], metric: str) -> list[Path]:
    """Write the choices of each classifier, in our form or the host's; return the files.

    Args:
        folder: where to.
        task: of ours, or the host's documents.
        found: what the classifiers made of its questions.
        metric: what hits are logged as, of the host's.
    """
    if isinstance(task, Task):
        answers = [(each.name, dict(zip((q.id for q in each.questions), each.picks, strict=True))) for each in found]
        return write_runs([run_of(task, name, letters) for name, letters in answers], folder)
    from spiqa_tasks.hosts.lmms_eval.task_documents import write_log

    return [
        write_log(
            folder,
            task,
            MODEL + each.name,
            metric,
            {
                int(question.id): (letter, float(letter == question.answer))
                for question, letter in zip(each.questions, each.picks, strict=True)
            },
        )
        for each in found
    ]
