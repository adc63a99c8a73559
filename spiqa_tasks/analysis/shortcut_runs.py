"""The answers of text-only classifiers as runs of models that saw no picture, which every command reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.shortcuts import Shortcut
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.jsonl import FORM
from spiqa_tasks.runs.readers.run_files import write_runs
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.run_metrics import P_RIGHT
from spiqa_tasks.runs.task_rows import matched_run

if TYPE_CHECKING:
    from spiqa_tasks.hosts.lmms_eval.source_task import TaskDocuments

MODEL = "shortcut_"
"""What the name of a classifier begins with where it stands for a model's."""


def run_of(task: Task, name: str, answers: Mapping[str, str], sure: Mapping[str, float] | None = None) -> Run:
    """Return a classifier's answers to a task of ours, scored without a judge.

    Args:
        task: the answers'.
        name: of the classifier.
        answers: id -> answer.
        sure: id -> probability of the right option, which becomes a metric of the run.
    """
    given = [Answer(key, Response(text)) for key, text in answers.items()]
    run = Run(task.name, Identity(MODEL + name, "text"), Path(name), FORM, lambda: given)
    scorer = make_scorer(task.benchmark, task.settings, "offline", None)
    scored = scoring.score(scoring.read(matched_run(run, task), scorer))
    if sure is None:
        return scored
    records = [
        replace(record, scores={**record.scores, P_RIGHT: sure[record.id]})
        for answer in scored.by_id.values()
        if (record := answer.record) is not None
    ]
    found = [replace(scored.by_id[record.id], record=record) for record in records]
    return replace(scored, read=lambda: found)


def write_answers(folder: Path, task: Task | TaskDocuments, found: Sequence[Shortcut], metric: str) -> list[Path]:
    """Write the choices of each classifier, in our form or the host's; return the files.

    Args:
        folder: where to.
        task: of ours, or the host's documents.
        found: what the classifiers made of its questions.
        metric: what hits are logged as, of the host's.
    """
    if isinstance(task, Task):
        runs = [
            run_of(task, each.name, {q.id: pick for q, pick, _ in each.answers}, {q.id: p for q, _, p in each.answers})
            for each in found
        ]
        return write_runs(runs, folder)
    from spiqa_tasks.hosts.lmms_eval.source_task import write_log

    return [
        write_log(
            folder,
            task,
            MODEL + each.name,
            {
                int(question.id): (pick, {metric: float(pick == question.answer), P_RIGHT: p})
                for question, pick, p in each.answers
            },
        )
        for each in found
    ]
