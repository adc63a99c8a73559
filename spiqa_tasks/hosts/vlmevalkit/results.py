"""A task's scored answers as the package's own file of a run, beside the host's file of answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.aggregation import RecordSet, Value
from spiqa_tasks.benchmarks.run_file import RunHeader, write_run
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.hosts.vlmevalkit.answer_file import ScoredAnswer

HOST = "host=vlmevalkit"
"""What a model's name has here: runs of a model of the same name in lmms-eval are not taken for these."""


def write(path: Path, model: str, task: Task, scorer: Scorer, answers: Sequence[ScoredAnswer]) -> dict[str, Value]:
    """Write a run's file; return the values by row: of every metric, and of the groups in the task's table.

    A value over fewer than 99% of the task's questions is withheld.
    """
    documents = [answer.record for answer in answers]
    records = RecordSet(documents, scorer.questions(documents), task.questions)
    rows = summary.rows_of(task.entry, task.typed, scorer.metrics, records)
    values = {name: records.value(*row) for name, row in rows.items()}
    scores = summary.score_object(task.name, records, values, scorer.metrics)
    who = (f"{model},{HOST}", "none", "", summary.merged_signature(documents).judge)
    of_task = (task.benchmark, task.split, task.settings)
    counts, definition = (task.questions, len(documents)), task.entry.definition
    header = RunHeader(task.name, *who, *of_task, *counts, scores["metrics"], definition)
    lines = ((answer.record, answer.text, answer.place) for answer in answers)
    write_run(path, header, scores | summary.intervals(values), lines)
    return values
