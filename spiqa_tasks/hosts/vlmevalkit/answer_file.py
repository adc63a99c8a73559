"""Read and score the host's file of answers to one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.aggregation import RecordSet, Value
from spiqa_tasks.benchmarks.results_file import LoggedAnswer, task_log, write_log
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.files.tables import row_id
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.vlmevalkit.tasks import Row


def read_answers(path: Path) -> dict[str, str]:
    """Return id -> answer of a file that the host wrote.

    Raises:
        InputError: it cannot be read, or has no column `prediction`.
    """
    table = read_cells(path, escaped=path.suffix == ".xlsx")
    if any("prediction" not in cells for cells in table):
        raise InputError(f"Expected {path} to have the column prediction, found none. Run the host again.")
    return {row_id(cells): cells["prediction"] for cells in table}


def scored(scorer: Scorer, rows: Sequence[Row], answers: Mapping[str, str]) -> list[LoggedAnswer]:
    """Return the answers (by id) scored, waiting for the judge; questions without an answer are left out."""
    given = [(row, answers[row["id"]], place) for place, row in enumerate(rows) if row["id"] in answers]
    if not given:
        raise InputError("Expected answers to the task's questions, found none of them. Run the host again.")
    records = scorer.score([scorer.record(row, response_of(text)) for row, text, _ in given])
    return [
        LoggedAnswer(record, text, place, str(row["question"]))
        for record, (row, text, place) in zip(records, given, strict=True)
    ]


HOST = "host=vlmevalkit"
"""Suffix of model names, so that runs of the same model in lmms-eval stay apart."""


def write(folder: Path, model: str, task: Task, scorer: Scorer, answers: Sequence[LoggedAnswer]) -> Mapping[str, Value]:
    """Write a run in lmms-eval's format; return the values by row: of every metric, and of the task's groups.

    A value over fewer than 99% of the task's questions is withheld.
    """
    documents = [answer.record for answer in answers]
    records = RecordSet(documents, scorer.questions(documents), task.questions)
    rows = summary.rows_of(task.entry, task.typed, scorer.metrics, records)
    values = {name: records.value(*row) for name, row in rows.items()}
    scores = summary.score_object(task.name, records, values, scorer.metrics)
    more = {"judge": summary.merged_signature(documents).judge} | scores | summary.intervals(values)
    log = task_log(task, records, values, scorer.metrics, answers, more)
    write_log(folder, model, HOST, {task.name: log})
    return values
