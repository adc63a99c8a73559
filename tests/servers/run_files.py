"""What a run of a host wrote, of its newest run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def results_of(folder: Path, task: str) -> dict[str, Any]:
    """Metric -> value of a task's newest run below a folder; withheld ones are None."""
    runs = [json.loads(path.read_text()) for path in sorted(folder.rglob("*_results.json"), key=lambda path: path.name)]
    values = [run["results"][task] for run in runs if task in run["results"]][-1]
    names = [name for name in values if name.endswith(",none") and "_stderr" not in name and values[name] != []]
    return {name.removesuffix(",none"): _number(values[name]) for name in names}


def samples_of(folder: Path, task: str) -> list[dict[str, Any]]:
    """The samples of a task's newest run below a folder."""
    path = sorted(folder.rglob(f"*_samples_{task}.jsonl"))[-1]
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_values(folder: Path, task: str) -> dict[str, Any]:
    """Metric -> value in the newest file of a run that VLMEvalKit or `score --output` wrote; withheld ones are None."""
    return dict(run_header(folder, task)["metrics"])


def run_header(folder: Path, task: str) -> dict[str, Any]:
    """The first line of that file."""
    return _run_lines(folder, task)[0]


def run_records(folder: Path, task: str) -> list[dict[str, Any]]:
    """The records of that file, each with its `response` and `place`."""
    return _run_lines(folder, task)[1:]


def _run_lines(folder: Path, task: str) -> list[dict[str, Any]]:
    path = sorted(folder.rglob(f"*_{task}.run.jsonl"), key=lambda path: path.stat().st_mtime_ns)[-1]
    return [json.loads(line) for line in path.read_text().splitlines()]


def _number(value: Any) -> Any:
    """NaN, which is how lmms-eval writes a withheld value, as None."""
    return None if value != value else value
