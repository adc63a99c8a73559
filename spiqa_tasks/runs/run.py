"""One model's answers to one task, and the value of any metric over them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import decoded
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.hosts.lmms_eval_files import generation_text, model_arguments
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

# A checkpoint in the hub's cache: its folder is called after a commit.
_CACHED = re.compile(r"models--(?:[^/]*--)?([^/]+)/snapshots/[^/]+")

# Arguments that say where and how fast a model runs, not which it is.
_RUNNING = frozenset(
    {
        "base_url",
        "batch_size",
        "cpu_offload_gb",
        "data_parallel_size",
        "device",
        "device_map",
        "disable_log_stats",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_num_batched_tokens",
        "max_num_seqs",
        "max_retries",
        "num_concurrent",
        "num_cpus",
        "num_gpus",
        "pipeline_parallel_size",
        "retry_backoff_s",
        "seed",
        "swap_space",
        "tensor_parallel_size",
        "threads",
        "timeout",
    }
)

# Arguments that are shown nowhere: `api_key`, `hf_token`, but not `max_new_tokens`.
_SECRET = re.compile(r"(?:\w+_)?(?:key|token|secret|password)", re.IGNORECASE)

# Part of the ablation of a run with changed options, alone or after that of the pictures.
OPTIONS = "options="

# Suffix of the ablation of a few-shot run, before its `shots` argument.
SHOTS = ",shots="

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
                f"Expected one answer per question in {path}, found two different ones for "
                f"{answer.id}, number {earlier.position + 1} and {answer.position + 1}. Keep one "
                "of them, or name other ids: --columns id=COLUMN (id= for none)."
            )
        duplicates[answer.id] = None
    return by_id, list(duplicates)


def canonical(text: str) -> str:
    """Return a text for comparison, without what spreadsheets and hosts change."""
    return _INSIGNIFICANT.sub("", unicodedata.normalize("NFKC", decoded(text)).casefold())


@dataclass(frozen=True)
class Identity:
    """A run's model with its arguments, less those that say where and how fast it runs.

    `ablation` is how `--model ablated` changes pictures, options and shots, or `none`; `name` is
    the report's, or "".
    """

    model: str
    ablation: str = "none"
    seed: str = ""
    name: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """The identity for people."""
        parts = [self.name or self.model]
        if self.ablation != "none":
            parts.append(f"ablation={self.ablation}")
        if self.seed:
            parts.append(f"seed={self.seed}")
        return ",".join(parts)

    @property
    def signature_fields(self) -> dict[str, str]:
        """The fields of signatures that name the model, and what changed its questions."""
        fields = {"model": self.model}
        if self.ablation != "none":
            seed = f"seed={self.seed}" if self.seed else ""
            fields["model_wrapper"] = _joined(self.ablation, seed)
        return fields


def identity(model: str, arguments: str) -> Identity:
    """Return the identity of a run with these `--model` and `--model_args`."""
    values = model_arguments(arguments)
    seed = values.get("seed", "")
    ablation = "none"
    if model == ABLATED:
        # What the wrapper takes; the other arguments are the model's.
        model = values.pop("base", "?")
        probe = values.pop("options", "")
        # a probe of the options may leave the pictures as they are
        pictures = values.pop("ablation", "" if probe else "?")
        shots = values.pop("shots", "")
        split = values.pop("shots_split", "")

        ablation = _joined(pictures, f"{OPTIONS}{probe}" if probe else "")
        if shots:
            ablation += f"{SHOTS}{shots},shots_split={split}"

    kept = [key for key in sorted(values) if key not in _RUNNING and not _SECRET.fullmatch(key)]
    return Identity(",".join([model, *(f"{key}={values[key]}" for key in kept)]), ablation, seed)


def model_of(who: Identity) -> tuple[str, str]:
    """Return `--model` and `--model_args` of which `identity` makes an identity."""
    model, _, arguments = who.model.partition(",")
    if who.ablation != "none":
        kind = who.ablation if who.ablation.startswith(OPTIONS) else f"ablation={who.ablation}"
        arguments = _joined(f"base={model}", kind, arguments)
        model = ABLATED
    arguments = _joined(arguments, f"seed={who.seed}" if who.seed else "")
    return (model, arguments) if identity(model, arguments) == who else (who.label, "")


def checkpoint(model: str) -> str:
    """Return the checkpoint that a model's arguments name, without its folder; the host's name of
    the model if they name none.
    """
    path = checkpoint_argument(model).partition("=")[2] or model.partition(",")[0]
    return _CACHED.sub(r"\1", path.rstrip("/")).rpartition("/")[2] or model


def checkpoint_argument(model: str) -> str:
    """Return the argument of a model that names its checkpoint, `key=path`, or ''."""
    arguments = model_arguments(model.partition(",")[2])
    for key in ("pretrained", "model_version", "model", "model_name"):
        if key in arguments:
            return f"{key}={arguments[key]}"
    return ""


def _joined(*parts: str) -> str:
    """Return the parts that are not empty, with commas."""
    return ",".join(filter(None, parts))


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
    def settings(self) -> Any:
        """The task's settings, typed; None for tasks of a host."""
        return self.benchmark_task.settings if self.is_of_benchmark else None

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
