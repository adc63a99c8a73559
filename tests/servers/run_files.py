"""Read the files of the newest run in a folder."""

import json
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.runs.lmms_eval import runs_of
from spiqa_tasks.runs.run import Run


def read_results(path: Path) -> list[Run]:
    """Return the run to every task of a results file."""
    return runs_of(path, lmms_eval_files.read_results(path))


def results_of(folder: Path, task: str) -> dict[str, Any]:
    """Return metric -> value of a task's newest run below a folder, None for a withheld value."""
    runs = [
        json.loads(path.read_text())
        for path in sorted(folder.rglob("*_results.json"), key=lambda path: path.name)
    ]
    values = [run["results"][task] for run in runs if task in run["results"]][-1]
    names = [
        name
        for name in values
        if name.endswith(",none") and "_stderr" not in name and values[name] != []
    ]
    return {name.removesuffix(",none"): _number(values[name]) for name in names}


def samples_of(folder: Path, task: str) -> list[dict[str, Any]]:
    """Return the samples of a task's newest run below a folder."""
    path = sorted(folder.rglob(f"*_samples_{task}.jsonl"), key=lambda path: path.name)[-1]
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_values(folder: Path, task: str) -> dict[str, Any]:
    """Metric -> value in the newest run that VLMEvalKit or `score --output` wrote; withheld ones
    are None.
    """
    return {name: _number(value) for name, value in results_of(folder, task).items()}


def run_header(folder: Path, task: str) -> dict[str, Any]:
    """Return the fields of a task that only this package writes into results files."""
    path = sorted(folder.rglob(f"*_samples_{task}.jsonl"), key=lambda path: path.name)[-1]
    results = path.with_name(path.name.replace(f"_samples_{task}.jsonl", "_results.json"))
    return dict(json.loads(results.read_text())["spiqa_tasks"][task])


def run_records(folder: Path, task: str) -> list[dict[str, Any]]:
    """Return the records of a task's newest run, each with its `response` and `place` (doc_id)."""
    records = []
    for sample in samples_of(folder, task):
        record = next(
            value for value in sample.values() if isinstance(value, dict) and "status" in value
        )
        records.append({**record, "response": sample["filtered_resps"], "place": sample["doc_id"]})
    return records


def _number(value: Any) -> Any:
    """Return None for NaN, with which lmms-eval's files mark a withheld value."""
    return None if value != value else value
