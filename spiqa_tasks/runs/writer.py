"""Write scored runs in lmms-eval's format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.results_file import LoggedAnswer, TaskLog, folder_name, task_log, write_log
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.identity import Identity, model_of
from spiqa_tasks.runs.run import Run


def write_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write scored runs to `<folder>/<model>`, one results file for each model and judge; return these files."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.name, run.judge), []).append(run)
    paths = []
    for (name, _), members in groups.items():
        first = members[0]
        # a label tells the run from others of the same model, which a newer one would replace
        model = model_of(Identity(first.label) if first.label else first.identity)
        paths.append(write_log(folder / folder_name(name), *model, {run.task: _log(run) for run in members}))
    return paths


def _log(run: Run) -> TaskLog:
    answers = [
        LoggedAnswer(answer.record, answer.response.text, answer.place, answer.question)
        for answer in run.by_id.values()
        if answer.record is not None
    ]
    values = scoring.values_of(run)
    more = {"judge": run.judge} | scoring.score_object(run) | summary.intervals(values)
    return task_log(run.own, run.record_set, values, run.metrics, answers, more)
