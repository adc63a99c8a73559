"""One model's answers to one task, and the value of any metric over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval_files import generation_text
from spiqa_tasks.runs.answer import Answer, by_question
from spiqa_tasks.runs.identity import Identity, signature_fields
from spiqa_tasks.runs.task import HostTask, OwnTask


class MissingMetricError(InputError):
    """A run has no metric of the name asked for."""


@dataclass(frozen=True)
class Origin:
    """How a run was made, as far as its file says so.

    Attributes:
        config: the values of the task's YAML, with the generation settings of the command line.
        command: the host's command, without tasks and keys.
        conditions: the host's version, seeds and system turn.
        date: as the names of results files have it, which sorts as text, or ''.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    command: Sequence[str] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    date: str = ""


@dataclass(frozen=True)
class Written:
    """What was written with the answers.

    Attributes:
        values: metric -> value, of a host's task in the host's unit.
        sizes: group -> number of the task's questions in it.
        omitted: metric -> why it could not be computed where the answers were scored.
        judge: name of the judge that scored them, if not that of the signature.
        unmatched: `missing`, `unknown`, `duplicates`, `differing` -> ids that did not fit the task.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    omitted: Mapping[str, str] = field(default_factory=dict)
    judge: str = ""
    unmatched: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Key(NamedTuple):
    """What makes two runs the same: of several with one key, one counts."""

    task: str
    identity: Identity
    generation: str
    judge: str


@dataclass(frozen=True)
class Run:
    """One model's answers to one task; they are read when they are first asked for.

    Attributes:
        form: of the file: `lmms-eval`, `score`, `jsonl`, `table`, `vlmevalkit`,
            `spiqa-responses[-per-figure]`.
        asked: number of the task's questions, or 0.
        answered: number of documents in the file, as far as it says so before it is read, or 0.
        logged: whether the answers are there, and not only the values that the host reports.
        definition: the task as it was run; None for tasks of a host.
        partial: whether values over a part of the task are asked for.
        label: what the run is called beside others of its model, or ''.
    """

    task: str
    identity: Identity
    path: Path
    form: str
    read: Callable[[], Sequence[Answer]]
    definition: Task | None = None
    asked: int = 0
    answered: int = 0
    logged: bool = True
    origin: Origin = Origin()
    written: Written = Written()
    partial: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", cache(self.read))

    @property
    def key(self) -> Key:
        """What tells the run from others: task, model with ablation, generation, judge."""
        return Key(self.task, self.identity, self.generation, self.judge_key)

    @property
    def generation(self) -> str:
        """The generation settings as one text, or ''."""
        return generation_text(self.origin.config.get("generation_kwargs"))

    @property
    def judge_key(self) -> str:
        """The judge with its address, of a task that a judge scores; or ''."""
        if not self.logged or not self.is_own or self.own.benchmark.judge(self.settings) is None:
            return ""
        if not self.records:
            return ""
        return "@".join(filter(None, (self.signature.judge, self.signature.judge_host)))

    @property
    def date(self) -> str:
        """The date, or the file's name, which begins with it."""
        return self.origin.date or self.path.name

    @property
    def size(self) -> int:
        """The number of answers, or of those that the file says it has."""
        return self.answered or (len(self.read()) if self.logged else 0)

    @property
    def name(self) -> str:
        """The label, or the identity's."""
        return self.label or self.identity.label

    @cached_property
    def kind(self) -> OwnTask | HostTask:
        """The task, of this package or of a host."""
        if self.definition is None:
            return HostTask(self.origin.config)
        return OwnTask(self.definition)

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
        """The judge's name, or ''."""
        return self.written.judge or self.signature.judge

    @cached_property
    def judged_metric(self) -> str:
        """Name of the judge-scored metric (the corrected one when both protocols ran), or ''."""
        for metric in self.metrics:
            if metric.needs == "judge" and metric.higher_is_better:
                return metric.name
        return ""

    @cached_property
    def by_id(self) -> dict[str, Answer]:
        """Id -> answer, in the order of the file.

        Raises InputError: an id has two different answers.
        """
        return by_question(self.path, self.read())[0]

    @cached_property
    def records(self) -> list[Record]:
        """One record per scored document."""
        return [answer.record for answer in self.by_id.values() if answer.record is not None]

    @cached_property
    def record_set(self) -> RecordSet:
        """The records of documents and of questions, of which every value is computed."""
        questions = self.kind.questions(self.records)
        return RecordSet(self.records, questions, self.asked, self.partial, self.written.sizes)

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
        """The merged signature of the records, with the model and its ablation."""
        return summary.signature_of(self.record_set).with_fields(**signature_fields(self.identity))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the answers have scores by, the headline first."""
        return self.kind.metrics(self)

    def metric(self, name: str | None = None) -> Metric:
        """Return the metric of a name, or the first one.

        Raises MissingMetricError: the run has no such metric.
        """
        for metric in self.metrics:
            if name in (None, metric.name):
                return metric

        known = ", ".join(metric.name for metric in self.metrics) or "none"
        wanted = "a metric" if name is None else f"the metric {name}"
        raise MissingMetricError(
            f"Expected {self.task} to have {wanted}; found {known}. Choose with --metric."
        )

    def value(self, metric: Metric, group: str | None = None) -> Value:
        """Return a metric's value over all answers or those of a group; NaN if it is withheld."""
        key = (metric.name, group)
        if key not in self._values:
            self._values[key] = self.kind.value(self, metric, group)
        return self._values[key]

    def scores(self, metric: Metric) -> dict[str, float]:
        """Return question -> score; metrics of a whole corpus (BLEU) have none of one answer."""
        return dict(self.value(metric).scores)

    @cached_property
    def _values(self) -> dict[tuple[str, str | None], Value]:
        return {}
