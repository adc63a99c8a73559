"""The exit status of a run of the host, which itself always exits 0."""

from __future__ import annotations

from pathlib import Path

from spiqa_tasks.benchmarks.results_file import newest_summary
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
        started: start time of the host in seconds: older files are of earlier runs.
    """
    status, remarks = COMPLETE, []
    is_scored = arguments.mode != "infer"
    for model in arguments.models:
        folder = arguments.work_dir / model
        for task in arguments.ours:
            found = newest_summary(folder, task.name, started) if is_scored else None
            if found is None and (is_scored or not _is_written(folder, f"{model}_{task.name}.*", started)):
                status = NO_SCORES
                what = "scores of" if is_scored else "answers to"
                remarks.append(f"{model} has no {what} {task.name}; the host's log above says why.")
            elif found is not None:
                counts = found["counts"]
                failed = [f"{counted(counts[n], one)} {rest}" for n, (one, rest) in _FAILURES.items() if counts.get(n)]
                status = IN_PART if failed and status == COMPLETE else status
                remarks += [f"{model}, {task.name}: {sentence}" for sentence in failed]
    return status, remarks


def _is_written(folder: Path, name: str, started: float) -> bool:
    """Whether a file of a name below a folder was written since the start."""
    return any(path.stat().st_mtime >= started for path in folder.rglob(name))
