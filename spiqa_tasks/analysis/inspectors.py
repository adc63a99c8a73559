"""Select one run per model for the filter, and read its scores on a task that it answered whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.merging import check_comparable, questions
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import too_few

if TYPE_CHECKING:
    import pandas as pd

# The less of a picture a model saw, the more its hits say; those of LLM bases have rank 0.
RANKS = {"text": 1, "grey": 2, "none": 4}
OTHER_RANK = 3


def one_of_each(runs: Iterable[Run]) -> tuple[dict[str, list[Run]], list[str]]:
    """Return task (without our suffixes) -> one run per model, and a sentence per other run.

    Of a model's runs the first of these is taken: a task for LLM bases (`_llm`), no picture
    (`_text`), a grey one (`_grey`), another ablation, with pictures. Of equals, such as several
    seeds, the last is taken.
    """
    members: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        members.setdefault((selection.source_task(run), run.identity.model), []).append(run)

    chosen: dict[str, list[Run]] = {}
    remarks = []
    for (task, model), same in members.items():
        # Reversed, as `min` takes the first of equals and the last run counts.
        best = min(reversed(same), key=_rank)
        chosen.setdefault(task, []).append(best)
        remarks += [
            f"{run.task} in {run.path} does not count beside {best.task} in {best.path}: {model} "
            "is one model."
            for run in same
            if run is not best
        ]

    return chosen, remarks


def _rank(run: Run) -> int:
    if selection.is_few_shot(run):
        return 0
    return RANKS.get(selection.ablation(run), OTHER_RANK)


def whole_questions(task: str, runs: Sequence[Run], metric: Metric) -> list[pd.DataFrame]:
    """Return each run's questions with their scores.

    Raises:
        InputError: runs of other questions, of a part of the task, or with too few scores.
        MissingMetricError: a run that has no such metric.
    """
    for run in runs:
        run.metric(metric.name)
        if withheld := run.record_set.withheld():
            raise InputError(
                f"Expected the whole of {run.task} of {run.name}: {withheld.reason}. Run it, or "
                "add --partial."
            )
    # An inspector is asked in its own way: prompts may differ.
    for run in runs[1:]:
        check_comparable(runs[0], run, metric, same_prompt=False)

    frames = [questions(run, metric) for run in runs]
    for run, frame in zip(runs, frames, strict=True):
        scored = int(frame.score.notna().sum())
        if few := too_few(scored, len(frame), "answers have a score"):
            failed = int((frame.status == "request_failed").sum())
            raise InputError(
                f"Expected scores by {metric.name} of the answers of {run.identity.model} to "
                f"{task}: {few} ({counted(failed, 'request')} failed). Run it again, or choose "
                "another --metric."
            )
    return frames
