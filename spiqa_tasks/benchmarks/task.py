"""A task of this package's benchmarks: a benchmark, a split and settings under one name."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.choice_answers import CHOICE_ANSWERS
from spiqa_tasks.benchmarks.free_answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import InputError


@dataclass(frozen=True)
class Task:
    """A task as its YAML defines it: `settings` of `dataset_name`, `generation` of
    `generation_kwargs` (JSON).

    `kept` are the ids of the questions that a filter kept; `length` limits the generated tokens of
    a response.
    """

    name: str
    benchmark: Benchmark = field(hash=False, repr=False)
    split: str
    settings_text: str
    kept: frozenset[str] | None = None
    length: int | None = None
    generation: str = field(default="", compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the benchmark by its name: VLMEvalKit's queue hands tasks to other processes."""
        values = (self.name, self.split, self.settings_text, self.kept, self.length)
        return _unpickled, (self.benchmark_name, *values)

    @property
    def benchmark_name(self) -> str:
        """The benchmark's name."""
        return self.benchmark.name

    @property
    def settings(self) -> Any:
        """The parsed settings."""
        return self.benchmark.parse(self.settings_text)

    def with_metrics(self, names: Sequence[str]) -> Task:
        """Return the task with only these metrics; InputError for an unknown one."""
        if unknown := [name for name in names if name not in self.metrics]:
            known = ", ".join(self.metrics)
            raise InputError(
                f"Expected metrics of {self.name} ({known}), found {unknown[0]}. Correct --metrics."
            )
        return dataclasses.replace(self, benchmark=self.benchmark.with_metrics(tuple(names)))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the task's metrics, the headline first."""
        return tuple(metric.name for metric in self.benchmark.metrics(self.settings))

    @property
    def questions(self) -> int:
        """The number of questions."""
        if self.kept is not None:
            return len(self.kept)
        size = self.benchmark.splits[self.split]
        return min(size, getattr(self.settings, "sample", 0) or size)


def _unpickled(benchmark: str, name: str, *values: Any) -> Task:
    entry = benchmark_named(benchmark)
    assert entry is not None
    return Task(name, entry, *values)


def task_of(config: Mapping[str, Any]) -> Task | None:
    """Return the task that a YAML's values define, or None for a host's."""
    metadata = config.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    entry = benchmark_named(metadata.get("benchmark"))
    if entry is None or "test_split" not in config:
        return None
    generation = config.get("generation_kwargs") or {}
    settings, length = str(config.get("dataset_name") or ""), generation.get("max_new_tokens")
    split, written = str(config["test_split"]), json.dumps(generation, sort_keys=True, default=str)
    return Task(str(config["task"]), entry, split, settings, length=length, generation=written)


def benchmark_named(name: Any) -> Benchmark | None:
    """Return the benchmark of a name, also of answers that need no task; None if there is none."""
    alone = {each.name: each for each in (FREE_ANSWERS, CHOICE_ANSWERS)}
    return BENCHMARKS.get(name, alone.get(name))
