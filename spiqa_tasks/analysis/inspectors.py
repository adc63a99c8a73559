"""Select one run per model for the filter, and align runs on a task that all answered whole."""

from collections.abc import Iterable, Sequence

from spiqa_tasks.analysis.pair import Pair
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import too_few

_BLINDEST = {"text": 1, "grey": 2, "none": 4}
"""Ablation -> rank among a model's runs, after those of LLM bases (0); other ablations have 3."""


def one_of_each(runs: Iterable[Run]) -> tuple[dict[str, list[Run]], list[str]]:
    """Return task (without our suffixes) -> one run per model, and a sentence for each run that is left out.

    Of a model's runs the first of these is taken: a task for LLM bases (`_llm`), no picture (`_text`), a grey one
    (`_grey`), another ablation, with pictures. Of equals, such as several seeds, the last is taken.
    """
    members: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        members.setdefault((selection.source_task(run), run.identity.model), []).append(run)
    chosen: dict[str, list[Run]] = {}
    remarks = []
    for (task, model), same in members.items():
        best = min(reversed(same), key=_rank)
        chosen.setdefault(task, []).append(best)
        remarks += [
            f"{run.task} in {run.path} does not count beside {best.task} in {best.path}: {model} is one model."
            for run in same
            if run is not best
        ]
    return chosen, remarks


def _rank(run: Run) -> int:
    return 0 if selection.is_few_shot(run) else _BLINDEST.get(selection.ablation(run), 3)


def aligned(task: str, runs: Sequence[Run], metric: Metric) -> Pair:
    """Return runs with their scores by a metric.

    Raises:
        InputError: a run of other questions, of a part of the task, or with too few of its answers scored.
        MissingMetricError: a run that has no such metric.
    """
    pair = Pair(runs, metric)
    for run in runs:
        run.metric(metric.name)
        if (withheld := run.record_set.withheld()) is not None:
            raise InputError(
                f"Expected the whole of {run.task} of {run.name}: {withheld.reason}. Run it, or add --partial."
            )
    pair.check(same_prompt=False)
    for run, questions, scores in zip(runs, pair.questions, pair.run_scores, strict=True):
        if few := too_few(len(scores), len(questions), "answers have a score"):
            failed = sum(record.status == "request_failed" for record in questions.values())
            raise InputError(
                f"Expected scores by {metric.name} of the answers of {run.identity.model} to {task}: {few} "
                f"({counted(failed, 'request')} failed). Run it again, or choose another --metric."
            )
    return pair
