"""What of a suite's runs is there already."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.analysis.suites import PlannedRun
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.command_line import Options, cache_of
from spiqa_tasks.hosts.lmms_eval.response_cache import kept_answers
from spiqa_tasks.runs.loading import is_judged_by
from spiqa_tasks.runs.readers.lmms_eval import limit_of, read_results, result_files
from spiqa_tasks.runs.run import Run

_FAILED = frozenset({"request_failed", "judge_failed", "scoring_failed"})


@dataclass(frozen=True)
class Found:
    """What is there of a run.

    Attributes:
        path: the result file with all of its samples; None where there is none.
        answered: how many documents were answered, without those that failed.
        failed: how many requests, judgements and scores failed.
        kept: how many answers the host's cache has where there is no result file.
    """

    path: Path | None = None
    answered: int = 0
    failed: int = 0
    kept: int = 0

    @property
    def complete(self) -> bool:
        """Whether the run need not be made again."""
        return self.path is not None and not self.failed

    def __str__(self) -> str:
        """What is there, for people."""
        if self.path is not None:
            return f"{self.failed} failed" if self.failed else f"complete, {self.answered} answers"
        return f"{self.kept} answers kept" if self.kept else "-"


def found(planned: PlannedRun, output: Path, options: Options, judge: str | None = None) -> Found:
    """Return what is there of a run in its folder below `output`: the newest results of the same questions.

    Args:
        planned: the run.
        output, options: of the suite.
        judge: the judge that is to have scored it (`provider:model[@URL]`); None: any or none.
    """
    folder = output / planned.folder(options)
    for path in reversed(result_files(folder)):
        with contextlib.suppress(InputError):  # the host was killed while it wrote
            runs = read_results(path)  # several where the task is a group of the host
            if (
                runs
                and limit_of(path) == options.limit
                and all(_is_whole(run) and _is_judged(run, judge) for run in runs)
            ):
                failed = sum(record.status in _FAILED for run in runs for record in run.records)
                return Found(path, sum(run.answered for run in runs) - failed, failed)
    return Found(kept=kept_answers(cache_of(folder)))


def _is_whole(run: Run) -> bool:
    """Whether all samples were written."""
    return run.logged and len(run.read()) == run.answered


def _is_judged(run: Run, judge: str | None) -> bool:
    return judge is None or is_judged_by(run, judge)
