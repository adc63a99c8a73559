"""Select one run per model for the filter, and check that it can be one of its inspectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from spiqa_tasks.analysis.pair import Pair, scores_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.outcomes import Outcomes, outcomes
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.coverage import too_few

_BLINDEST = {"text": 1, "grey": 2, "none": 4}
"""Ablation -> rank among a model's runs, after those of LLM bases (0); other ablations have 3."""


@dataclass(frozen=True)
class Inspector:
    """A text-only model's run and the metric that scores it; LVLMs and LLM bases of pairs are inspectors, too."""

    run: Run
    metric: Metric

    @property
    def name(self) -> str:
        """The model, without its ablation."""
        return self.run.identity.model

    @cached_property
    def questions(self) -> dict[str, Record]:
        """Id -> record of the questions that the metric is of."""
        return self.run.kind.members(self.run, self.metric)

    @cached_property
    def scores(self) -> dict[str, float]:
        """Id -> score, of the questions that have one; a failed request has none."""
        return dict(scores_of(self.questions, self.metric))

    @property
    def score(self) -> float:
        """The mean of the scores."""
        return sum(self.scores.values()) / len(self.scores)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Shares of refused, unparsed, failed and truncated answers."""
        return outcomes(list(self.questions.values()))


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


def inspectors(task: str, runs: Sequence[Run], metric: Metric, first: Run) -> list[Inspector]:
    """Return the runs with their scores by a metric; `first` is the run whose questions all must have answered.

    Raises:
        InputError: a run of other questions, of a part of the task, or with too few of its answers scored.
        MissingMetricError: a run that has no such metric.
    """
    chosen = [Inspector(run, metric) for run in runs]
    for each in chosen:
        each.run.metric(metric.name)
        withheld = each.run.record_set.withheld()
        if withheld is not None:
            raise InputError(
                f"Expected the whole of {each.run.task} of {each.run.name}: {withheld.reason}. Run it, or add "
                "--partial."
            )
        Pair([first, each.run], metric).check(same_prompt=False)
        if few := too_few(len(each.scores), len(each.questions), "answers have a score"):
            failed = sum(record.status == "request_failed" for record in each.questions.values())
            raise InputError(
                f"Expected scores by {metric.name} of the answers of {each.name} to {task}: {few} "
                f"({counted(failed, 'request')} failed). Run it again, or choose another --metric."
            )
    return chosen
