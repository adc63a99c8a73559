"""Metrics by group of answers, with 95% intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.benchmarks.metric import Metric, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.runs.run import Run

OVERALL = "all"


@dataclass(frozen=True)
class GroupValue:
    """A metric's value, in natural units, over the `n` scored answers of one group, with its 95%
    interval.

    `value` is NaN if it is withheld, `low` and `high` None without an interval. `questions` says
    how many of the group's questions were answered, `n of N`: of the task's for all of them, and
    where the group's own size is not known to be short of answers.
    """

    model: str
    task: str
    metric: str
    group: str
    n: int
    value: float
    low: float | None
    high: float | None
    questions: str = ""

    @property
    def is_of_part(self) -> bool:
        """Whether questions of the group, or of the task, are without an answer."""
        answered, _, every = self.questions.partition(" of ")
        return answered != every


def by_group(run: Run, metrics: Sequence[Metric]) -> list[GroupValue]:
    """Return each metric overall, then for every group, kind by kind, names in alphabetical order
    within a kind.

    Source: SciFIBench section 4.5 and Table 5; SPIQA Tables 6 and 7; MMStar Table 5.
    """
    rows = []
    for metric in metrics:
        rows += overall(run, [metric])
        for groups in groups_of(run, metric).values():
            for group in groups:
                rows.append(group_value(run, metric.name, group, run.value(metric, group)))
    return rows


def groups_of(run: Run, metric: Metric) -> dict[str, list[str]]:
    """Return kind of group -> its groups among a metric's records, in alphabetical order."""
    kinds: dict[str, set[str]] = {}
    for record in run.record_set.members(metric):
        for kind, name in record.groups.items():
            kinds.setdefault(kind, set()).add(name)
    return {kind: sorted(names) for kind, names in kinds.items()}


def overall(run: Run, metrics: Sequence[Metric]) -> list[GroupValue]:
    """Return each metric over all answers."""
    return [group_value(run, metric.name, OVERALL, run.value(metric)) for metric in metrics]


def by_label(run: Run, metric: Metric, name: str) -> list[GroupValue]:
    """Return one row per value of a detail of the records, such as the benchmark that a question is
    from.

    Records without it, such as those of an older version, are the row `unknown`. Source: MMStar
    Figure 4.
    """
    members: dict[str, list[Record]] = {}
    for record in run.questions:
        members.setdefault(str(record.details.get(name) or "unknown"), []).append(record)
    return [value_over(run, metric, label, members[label]) for label in sorted(members)]


def value_over(run: Run, metric: Metric, name: str, members: Sequence[Record]) -> GroupValue:
    """Return a metric over some of a run's questions."""
    value = replace(run.record_set, documents=members, questions=members, partial=True).value(
        metric
    )
    withheld = run.record_set.withheld()
    return group_value(run, metric.name, name, replace(withheld, n=value.n) if withheld else value)


def group_value(run: Run, metric: str, group: str, value: Value) -> GroupValue:
    """Return a value of a run's metric over a group."""
    low, high = (None if math.isnan(value.value) else value.interval) or (None, None)
    size = run.written.sizes.get(group, 0)
    is_of_part = (
        bool(run.record_set.part) and value.n >= size and (not size or math.isnan(value.value))
    )
    questions = (
        run.coverage if group == OVERALL or is_of_part else f"{value.n} of {max(value.n, size)}"
    )
    return GroupValue(run.name, run.task, metric, group, value.n, value.value, low, high, questions)
