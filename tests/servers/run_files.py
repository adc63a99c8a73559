"""What a run of a host wrote, of its newest run."""

import json
from pathlib import Path
from typing import Any


def results_of(folder: Path, task: str) -> dict[str, Any]:
    """Metric -> value of a task's newest run below a folder; withheld ones are None."""
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
    """The samples of a task's newest run below a folder."""
    path = sorted(folder.rglob(f"*_samples_{task}.jsonl"), key=lambda path: path.name)[-1]
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_values(folder: Path, task: str) -> dict[str, Any]:
    """Metric -> value in the newest run that VLMEvalKit or `score --output` wrote; withheld ones
    are None.
    """
    return {name: _number(value) for name, value in results_of(folder, task).items()}


def run_header(folder: Path, task: str) -> dict[str, Any]:
    """What its results file says of the task beyond what lmms-eval has keys for."""
    path = sorted(folder.rglob(f"*_samples_{task}.jsonl"), key=lambda path: path.name)[-1]
    results = path.with_name(path.name.replace(f"_samples_{task}.jsonl", "_results.json"))
    return dict(json.loads(results.read_text())["spiqa_tasks"][task])


def run_records(folder: Path, task: str) -> list[dict[str, Any]]:
    """Its records, each with its `response` and `place`."""
    found = []
    for sample in samples_of(folder, task):
        record = next(
            value for value in sample.values() if isinstance(value, dict) and "status" in value
        )
        found.append({**record, "response": sample["filtered_resps"], "place": sample["doc_id"]})
    return found


def _number(value: Any) -> Any:
    """NaN, which is how lmms-eval writes a withheld value, as None."""
    return None if value != value else value
