"""The exit status of a run of the host, which itself always exits 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from spiqa_tasks.benchmarks.run_file import SUFFIX
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments
from spiqa_tasks.printable import counted

COMPLETE, NO_SCORES, IN_PART = 0, 1, 3
_FAILURES = {
    "request_failed": ("request", "to the model failed or got an empty answer. Run again with --reuse."),
    "judge_failed": ("answer", "could not be judged. `spiqa-tasks score` on the folder asks again."),
    "scoring_failed": ("answer", "could not be scored; see the samples file."),
}


def status_of(arguments: Arguments, started: float) -> tuple[int, list[str]]:
    """Return the exit status of a run, and a sentence per failure.

    Args:
        arguments: arguments of the run.
        started: start time of the host in seconds: older files are of earlier runs.
    """
    status, remarks = COMPLETE, []
    what, suffix = ("answers to", ".*") if arguments.mode == "infer" else ("scores of", SUFFIX)
    for model in arguments.models:
        for task in arguments.ours:
            path = _newest(arguments.work_dir / model, f"{model}_{task.name}{suffix}", started)
            if path is None:
                status = NO_SCORES
                remarks.append(f"{model} has no {what} {task.name}; the host's log above says why.")
            elif arguments.mode != "infer":
                counts = counts_of(path)
                lines = [f"{counted(counts[n], one)} {rest}" for n, (one, rest) in _FAILURES.items() if counts.get(n)]
                status = IN_PART if lines and status == COMPLETE else status
                remarks += [f"{model}, {task.name}: {sentence}" for sentence in lines]
    return status, remarks


def counts_of(path: Path) -> Mapping[str, int]:
    """Return the counts of a run's file: judged, failed and so on."""
    with path.open(encoding="utf-8") as file:
        counts: Mapping[str, int] = json.loads(next(file))["counts"]
    return counts


def _newest(folder: Path, name: str, started: float) -> Path | None:
    """Return the newest file of a name below a folder written since `started`, or None."""
    times = {path: path.stat().st_mtime for path in folder.rglob(name)}
    fresh = [path for path, time in times.items() if time >= started]
    return max(fresh, key=lambda path: times[path], default=None)
