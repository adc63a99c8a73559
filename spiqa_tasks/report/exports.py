"""Runs as flat records, one per model, task, metric and group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL, GroupValue, by_group, overall
from spiqa_tasks.report.headline import shown_metrics
from spiqa_tasks.runs.run import Run

FIELDS = (
    *("model", "benchmark", "split", "task", "metric", "group", "value", "low", "high", "n", "questions"),
    *("judge", "signature"),
)


def records(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return one record per run, task, metric and group; the headline by group, the others overall.

    Values are natural (0 to 1, CIDEr 0 to 10), None where withheld; `group` is `all` for all answers, `questions` says
    how many of the task's were answered, `n of N`.
    """
    return [_record(run, value) for run in runs for value in _values(run)]


def as_json(runs: Sequence[Run]) -> str:
    """Return the records as a JSON list."""
    return json.dumps(records(runs), indent=1, ensure_ascii=False) + "\n"


def _values(run: Run) -> list[GroupValue]:
    return [*by_group(run, run.metrics[:1]), *overall(run, shown_metrics(run)[1:])]


def _record(run: Run, value: GroupValue) -> dict[str, Any]:
    known = {name: None if (end := getattr(value, name)) != end else end for name in ("value", "low", "high")}
    told: dict[str, Any] = {
        "model": run.name,
        "benchmark": run.own.entry.name,
        "split": run.own.split,
        "task": run.task,
    }
    told |= {"metric": value.metric, "group": value.group or OVERALL}
    told |= {**known, "n": value.n, "questions": run.coverage}
    return {**told, "judge": run.signature.judge, "signature": run.signature.text}
