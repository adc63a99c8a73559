"""Tables for people: values times 100, one line per task and metric."""

from __future__ import annotations

from collections.abc import Iterable

from tabulate import tabulate

from spiqa_tasks.hosts.lmms_eval.results import Run, Score, TaskRun
from spiqa_tasks.scoring.units import percent


def results_table(runs: Iterable[Run]) -> str:
    """Return the overall metrics of every task of `runs`, headline first, with the standard errors the host tells."""
    rows = [
        [run.model, task, metric, _value(metric, score), _error(score)]
        for run in runs
        for task in run.tasks
        for metric, score in TaskRun(run, task).scores.items()
        if "/" not in metric and not (metric.endswith("_failed_rate") and not score.value)
    ]
    return tabulate(rows, headers=["model", "task", "metric", "x 100", "+-"], disable_numparse=True)


def _value(metric: str, score: Score) -> str:
    """Shares and scores times 100, counts as they are."""
    return f"{score.value:.0f}" if metric.endswith("_count") and score.value is not None else percent(score.value)


def _error(score: Score) -> str:
    return percent(score.stderr) if score.stderr is not None else ""
