"""One model's answers to one task, and the value of any metric over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.aggregation import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.answer import Answer, by_question
from spiqa_tasks.runs.identity import Identity, ablated
from spiqa_tasks.runs.task import HostTask, OwnTask


class MissingMetricError(InputError):
    """A run has no metric of the name asked for."""


@dataclass(frozen=True)
class Run:
    """One model's answers to one task; they are read when they are first asked for.

    Attributes:
        form: of the file: `lmms-eval`, `score`, `jsonl`, `table`, `vlmevalkit`, `spiqa-responses[-per-figure]`.
        asked: number of the task's questions, or 0.
        answered: number of documents in the file, as far as it says so before its answers are read, or 0.
        logged: whether the answers are there, and not only the values that the host reports.
        definition: the task as it was run; None for tasks of a host.
        reported: metric -> value that was written with the answers, of a host's task in the host's unit.
        omitted: metric -> why it could not be computed where the answers were scored.
        rows: the task's questions, once the answers are joined to them.
        ids: digest of the `--ids` list, or "".
        unmatched: `missing`, `unknown`, `duplicates`, `differing` -> ids of answers that did not fit the rows.
        partial: whether values over a part of the task are asked for.
        sizes: group -> number of the task's questions in it.
        judge: name of the judge that scored it, if not that of the signature.
        command: the host's command, without tasks and keys; () for other forms.
        host: the host's version, seeds and system turn.
        date: of the run as lmms-eval writes it, which sorts as text, or "".
    """

    task: str
    identity: Identity
    path: Path
    form: str
    read: Callable[[], Sequence[Answer]]
    asked: int = 0
    answered: int = 0
    logged: bool = True
    definition: Task | None = None
    reported: Mapping[str, float] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    omitted: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Any]] = ()
    ids: str = ""
    unmatched: Mapping[str, Sequence[str]] = field(default_factory=dict)
    partial: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    judge: str = ""
    command: Sequence[str] = ()
    host: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", cache(self.read))

    @property
    def name(self) -> str:
        """The label, or the identity's."""
        return self.label or self.identity.label

    @cached_property
    def kind(self) -> OwnTask | HostTask:
        """The task, of this package or of a host."""
        return HostTask(self.config) if self.definition is None else OwnTask(self.definition)

    @property
    def own(self) -> Task:
        """The task as it was run, of a benchmark; ValueError for tasks of a host."""
        if self.definition is None:
            raise ValueError(f"expected a task of a benchmark, got {self.task}")
        return self.definition

    @property
    def is_own(self) -> bool:
        """Whether the task is one of this package's benchmarks."""
        return self.definition is not None

    @property
    def settings(self) -> Any:
        """The task's settings, typed; None for tasks of a host."""
        return None if self.definition is None else self.definition.settings

    @property
    def judge_name(self) -> str:
        """The judge's name, or ""."""
        return self.judge or self.signature.judge

    @cached_property
    def judged_metric(self) -> str:
        """Name of the judge-scored metric (the corrected one when both protocols ran), or ""."""
        names = (
            metric.name
            for metric in self.metrics
            if metric.needs == "judge" and metric.higher_is_better
        )
        return next(names, "")

    @cached_property
    def by_id(self) -> dict[str, Answer]:
        """Id -> answer, in the order of the file; InputError where an id has two different answers."""
        return by_question(self.path, self.read())[0]

    @cached_property
    def records(self) -> list[Record]:
        """One record per scored document."""
        return [answer.record for answer in self.by_id.values() if answer.record is not None]

    @cached_property
    def record_set(self) -> RecordSet:
        """The records of documents and of questions, of which every value is computed."""
        questions = self.kind.questions(self.records)
        return RecordSet(self.records, questions, self.asked, self.partial, self.sizes)

    @property
    def questions(self) -> Sequence[Record]:
        """One record per scored question."""
        return self.record_set.questions

    @property
    def coverage(self) -> str:
        """Answered questions of the task's, `n of N`."""
        return self.record_set.coverage

    @cached_property
    def signature(self) -> Signature:
        """The merged signature of the records, with the ablation of the model wrapper."""
        return summary.signature_of(self.record_set).with_fields(**ablated(self.identity))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the answers have scores by, the headline first."""
        return self.kind.metrics(self)

    def metric(self, name: str | None = None) -> Metric:
        """Return the metric of a name, or the first one. Raises MissingMetricError: the run has no such metric."""
        found = next((metric for metric in self.metrics if name in (None, metric.name)), None)
        if found is None:
            known = ", ".join(metric.name for metric in self.metrics) or "none"
            wanted = "a metric" if name is None else f"the metric {name}"
            raise MissingMetricError(
                f"Expected {self.task} to have {wanted}; found {known}. Choose with --metric."
            )
        return found

    def value(self, metric: Metric, group: str | None = None) -> Value:
        """Return a metric's value over all answers or those of a group; NaN where it is withheld."""
        key = (metric.name, group)
        if key not in self._values:
            self._values[key] = self.kind.value(self, metric, group)
        return self._values[key]

    def scores(self, metric: Metric) -> dict[str, float]:
        """Return question -> score, of the answers that have one; a metric may have none of a single answer (BLEU)."""
        return dict(self.value(metric).scores)

    @cached_property
    def _values(self) -> dict[tuple[str, str | None], Value]:
        return {}
