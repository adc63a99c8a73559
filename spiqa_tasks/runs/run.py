"""One model's answers to one task, and the value of any metric over them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.answers import SPLIT
from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import decoded
from spiqa_tasks.hosts.lmms_eval_files import generation_text
from spiqa_tasks.runs.identity import OPTIONS, SHOTS, Identity
from spiqa_tasks.runs.metric_values import (
    benchmark_metrics,
    benchmark_value,
    host_metrics,
    host_value,
)
from spiqa_tasks.scoring.options import options_in

# Ids or files listed in a remark.
MOST_LISTED = 5

# Everything but letters, digits, decimal points and minus signs.
_INSIGNIFICANT = re.compile(r"(?!(?<=\d)\.(?=\d)|-(?=\.?\d))[\W_]")

# Shared by all answers without options, of which a run has thousands.
_NO_OPTIONS: Mapping[str, str] = {}


class MissingMetricError(InputError):
    """A run has no metric of the name asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run; all but id and response are as far as the file has them.

    Attributes:
        id: of the question; of the document where a question is several.
        record: the scored answer; None where it was not scored yet.
        paper: of the question; '' without one.
        position: index of the document in its task, or of the answer in its file, from 0.
        question: the question's text or the whole prompt.
        references: the true answers, of which any is right.
        needed: files of the figures that the true answer needs.
        groups: column -> group of the question.
    """

    id: str
    response: Response
    record: Record | None = None
    position: int = 0
    question: str = ""
    references: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=lambda: _NO_OPTIONS)
    needed: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    paper: str = ""

    @property
    def reference(self) -> str:
        """The true answer, '' if there are several."""
        return self.references[0] if len(self.references) == 1 else ""

    @property
    def signature(self) -> Signature:
        """The signature of the record; empty without one."""
        return parse("" if self.record is None else self.record.signature)

    @property
    def known_options(self) -> Mapping[str, str]:
        """Letter -> text of the options, of the file or the prompt; {} if it shows none."""
        return self.options or options_in(self.question)


# Id of the question -> its answer.
Answers = dict[str, Answer]


def by_question(path: Path, answers: Iterable[Answer]) -> tuple[Answers, list[str]]:
    """Return the answers by their ids, in their order, and ids that occur again with equal answers.

    Raises InputError: an id with two different answers.
    """
    by_id: Answers = {}
    duplicates: dict[str, None] = {}
    for answer in answers:
        # answers without an id are refused later, where the task is known
        earlier = by_id.setdefault(answer.id or f"answer {answer.position}", answer)
        if earlier is answer:
            continue
        if earlier != replace(answer, position=earlier.position):
            raise InputError(
                f"Expected one answer per question in {path}, found two for {answer.id}, "
                f"number {earlier.position + 1} and {answer.position + 1}. Keep one, or name ids: "
                "--columns id=COLUMN (id= for none)."
            )
        duplicates[answer.id] = None
    return by_id, list(duplicates)


def canonical(text: str) -> str:
    """Return a text for comparison, without what spreadsheets and hosts change."""
    return _INSIGNIFICANT.sub("", unicodedata.normalize("NFKC", decoded(text)).casefold())


@dataclass(frozen=True)
class Origin:
    """How a run was made, as far as its file says so.

    Attributes:
        config: the values of the task's YAML, with the generation settings of the command line.
        conditions: the host's version, seeds and system turn.
        date: as the names of results files have it, which sorts as text, or ''.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    date: str = ""


@dataclass(frozen=True)
class Reported:
    """What a run's files say of all its answers together.

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
        form: of the file: `lmms-eval`, `score`, `jsonl`, `table`, `vlmevalkit`, `spiqa-responses`.
        asked: number of the task's questions, or 0.
        answered: number of documents in the file, as far as it says so before it is read, or 0.
        logged: whether the answers are there; else none are read, and the host's values are all.
        benchmark_task_or_none: the benchmark's task as it was run; None for tasks of a host.
        partial: whether values over a part of the task are asked for.
        label: what the run is called beside others of its model, or ''.
    """

    task: str
    identity: Identity
    path: Path
    form: str
    read: Callable[[], Sequence[Answer]]
    benchmark_task_or_none: Task | None = None
    asked: int = 0
    answered: int = 0
    logged: bool = True
    origin: Origin = Origin()
    reported: Reported = Reported()
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
        """The judge, with the host of its provider, of a task that a judge scores; or ''."""
        host = self.signature.judge_host
        # an address with a port is a server of one's own, which has another each time it starts
        provider = "" if ":" in host else host
        return "@".join(filter(None, (self.signature.judge, provider)))

    @property
    def date(self) -> str:
        """The date, or the file's name, which begins with it."""
        return self.origin.date or self.path.name

    @property
    def size(self) -> int:
        """The number of answers, or of those that the file says it has."""
        return self.answered or len(self.read())

    @property
    def name(self) -> str:
        """The label, or the identity's."""
        return self.label or self.identity.label

    @property
    def benchmark_task(self) -> Task:
        """The benchmark's task as it was run; ValueError for tasks of a host."""
        if self.benchmark_task_or_none is None:
            raise ValueError(f"expected a task of a benchmark, got {self.task}")
        return self.benchmark_task_or_none

    @property
    def is_of_benchmark(self) -> bool:
        """Whether the task is one of this package's benchmarks."""
        return self.benchmark_task_or_none is not None

    @property
    def has_samples(self) -> bool:
        """Whether it is of a task of this package, with its answers."""
        return self.is_of_benchmark and bool(self.records)

    @property
    def settings(self) -> Any:
        """The task's settings, typed; None for tasks of a host."""
        return self.benchmark_task.settings if self.is_of_benchmark else None

    @property
    def ablation(self) -> str:
        """What was done to the pictures, by the task or by `--model ablated`: `none`, `text`,
        `grey`, ...
        """
        ablation = self.identity.ablation
        return ablation if ablation != "none" else self._task_ablation

    @property
    def is_few_shot(self) -> bool:
        """Whether it was asked as LLM bases are: solved questions first, no picture."""
        if SHOTS in self.identity.ablation:
            return True
        shots = str(getattr(self.settings, "shots", 0))
        return shots not in ("", "0") and self._task_ablation == "text"

    @property
    def is_blind(self) -> bool:
        """Whether the model saw no picture of the question, or a grey one."""
        # every ablation removes or replaces the pictures, but one of the options alone
        changed = self.ablation != "none" and not self.ablation.startswith(OPTIONS)
        return changed or self.is_few_shot

    @property
    def may_be_blind(self) -> bool:
        """Whether the model saw no picture, or nobody says: answers without a task."""
        return self.is_blind or (self.is_of_benchmark and self.benchmark_task.split == SPLIT)

    @property
    def source_task(self) -> str:
        """The task of which this one is a variant without pictures or for LLM bases; else the task
        itself.
        """
        if self.is_few_shot:
            # our tasks for LLM bases are called `..._llm` and `..._llm_authors`
            return self.task.removesuffix("_authors").removesuffix("_llm")
        return self.task.removesuffix(f"_{self._task_ablation}")

    @property
    def model_name(self) -> str:
        """What the model is called without the ablation around it, with its seed where it has
        one.
        """
        return self.label or replace(self.identity, ablation="none").label

    @property
    def _task_ablation(self) -> str:
        """What the task itself does to the pictures: `none`, `text`, `grey`."""
        return str(getattr(self.settings, "ablation", "none"))

    @property
    def judge_name(self) -> str:
        """The judge's name, or ''."""
        return self.reported.judge or self.signature.judge

    @cached_property
    def judged_metric(self) -> str:
        """Name of the judge-scored metric (the corrected one when both protocols ran), or ''."""
        for metric in self.metrics:
            if metric.needs == "judge" and metric.higher_is_better:
                return metric.name
        return ""

    @property
    def judged_scores(self) -> Mapping[str, float]:
        """Question -> the judge's score, of several references the best; {} without a judge."""
        return self.scores(self.metric(self.judged_metric)) if self.judged_metric else {}

    @cached_property
    def by_id(self) -> dict[str, Answer]:
        """Id -> answer, in the order of the file.

        Raises InputError: an id has two different answers.
        """
        return by_question(self.path, self.read())[0]

    @cached_property
    def records(self) -> list[Record]:
        """One record per scored document."""
        # Unscored answers are not yet known by the ids of their questions.
        if all(answer.record is None for answer in self.read()):
            return []
        return [answer.record for answer in self.by_id.values() if answer.record is not None]

    @cached_property
    def record_set(self) -> RecordSet:
        """The records of documents and of questions, of which every value is computed."""
        questions: Sequence[Record] = self.records
        join = self.benchmark_task.benchmark.join(self.settings) if self.is_of_benchmark else None
        if join is not None and self.records:
            questions = join(self.records, None)
        return RecordSet(self.records, questions, self.asked, self.partial, self.reported.sizes)

    @property
    def questions(self) -> Sequence[Record]:
        """One record per scored question."""
        return self.record_set.questions

    @property
    def coverage(self) -> str:
        """How many questions were answered, of the task's, `n of N`."""
        return self.record_set.coverage

    @cached_property
    def signature(self) -> Signature:
        """The merged signature of the records, with the model, its ablation and generation."""
        signature = summary.signature_of(self.record_set)
        fields = {"generation": self.generation, **self.identity.signature_fields}
        return signature.with_fields(**fields)

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the answers have scores by, the headline first."""
        return benchmark_metrics(self) if self.is_of_benchmark else host_metrics(self)

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
            f"Expected {self.task} to have {wanted}; found {known}. Name another."
        )

    def value(self, metric: Metric, group: str | None = None) -> Value:
        """Return a metric's value over all answers or those of a group; NaN if it is withheld."""
        key = (metric.name, group)
        if key not in self._values:
            value_of = benchmark_value if self.is_of_benchmark else host_value
            self._values[key] = value_of(self, metric, group)
        return self._values[key]

    def scores(self, metric: Metric) -> Mapping[str, float]:
        """Return question -> score; metrics of a whole corpus (BLEU) have none of one answer."""
        return self.value(metric).scores

    @cached_property
    def _values(self) -> dict[tuple[str, str | None], Value]:
        return {}
