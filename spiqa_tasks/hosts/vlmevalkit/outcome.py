"""Whether a run of the host gave every task its scores: it exits 0 whatever happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments
from spiqa_tasks.printable import counted

COMPLETE, NO_SCORES, IN_PART = 0, 1, 3


@dataclass(frozen=True)
class Outcome:
    """How many answers of a task could not be had, judged or scored."""

    request_failed: int
    judge_failed: int
    scoring_failed: int


def status_of(arguments: Arguments, outcomes: Mapping[Path, Outcome], started: float) -> tuple[int, list[str]]:
    """Return the exit status of a run, and a sentence for everything that is not as it should be.

    Args:
        arguments: the run's.
        outcomes: file of answers -> what became of them in this run.
        started: when the host was started, in seconds.
    """
    by_name = {path.stem: outcome for path, outcome in outcomes.items()}
    status, remarks = COMPLETE, []
    for model in arguments.models:
        for task in arguments.ours:
            stem = f"{model}_{task.name}"
            if arguments.mode == "infer":
                if not _is_fresh(arguments.work_dir / model, stem, started):
                    status = NO_SCORES
                    remarks.append(f"{model} has no answers to {task.name}; the host's log above says why.")
            elif stem not in by_name:
                status = NO_SCORES
                remarks.append(f"{model} has no scores of {task.name}; the host's log above says why.")
            else:
                found = _failures(by_name[stem])
                status = IN_PART if found and status == COMPLETE else status
                remarks += [f"{model}, {task.name}: {sentence}" for sentence in found]
    return status, remarks


def _failures(outcome: Outcome) -> list[str]:
    sentences = (
        (outcome.request_failed, "request", "to the model failed or got an empty answer. Run again with --reuse."),
        (outcome.judge_failed, "answer", "could not be judged. `spiqa-tasks score` on the folder asks again."),
        (outcome.scoring_failed, "answer", "could not be scored; see the samples file."),
    )
    return [f"{counted(count, what)} {rest}" for count, what, rest in sentences if count]


def _is_fresh(folder: Path, stem: str, started: float) -> bool:
    return any(path.stat().st_mtime >= started for path in folder.rglob(f"{stem}.*"))
