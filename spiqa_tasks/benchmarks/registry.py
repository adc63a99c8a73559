"""The registered benchmarks, the tasks that YAMLs define, and how the rows of a task are loaded."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.answers import CHOICE_ANSWERS, FREE_ANSWERS
from spiqa_tasks.benchmarks.benchmark import Benchmark, settings_text
from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.scifibench.definition import SCIFIBENCH
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.benchmarks.spiqa.release import figures_of
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import HubSource, Repository, Source, default_source, demo_source
from spiqa_tasks.printable import said_if_slow

logger = logging.getLogger("spiqa_tasks")

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark for benchmark in (SPIQA, MMSTAR, SCIFIBENCH)
}


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


def benchmark_of(row: Mapping[str, Any]) -> Benchmark:
    """Return the benchmark of a row."""
    return BENCHMARKS[row["benchmark"]]


def yaml_folder() -> Path:
    """Return the folder of the package's own task YAMLs, for the host's `--include_path`."""
    return Path(str(resources.files("spiqa_tasks.yaml_configs")))


def load_table(
    name: str | Benchmark, split: str, settings: str, source: Source | None = None
) -> Any:
    """Return the rows of a task as a pyarrow table; `settings` is the text of its `dataset_name`.

    `source` has the release files (default: shipped for `demo...`, else `default_source`). Raises
    InputError: unknown split or settings; DataError: files missing, unreadable or not in the
    release's format.
    """
    import pyarrow

    rows = _loaded(name, split, settings, source)
    return pyarrow.Table.from_pylist(rows) if isinstance(rows, list) else rows


def load_rows(
    name: str | Benchmark, split: str, settings: str, source: Source | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a task as dicts; see `load_table`."""
    rows = _loaded(name, split, settings, source)
    return rows if isinstance(rows, list) else list(rows.to_pylist())


def rows_for_scoring(
    name: str | Benchmark, split: str, settings: str, source: Source | None = None
) -> list[dict[str, Any]]:
    """Return the rows for scoring: those of `load_rows`, but no picture archive and no full text
    is read.
    """
    benchmark = BENCHMARKS[name] if isinstance(name, str) else name
    parsed = benchmark.parse(settings)
    text = settings_text(parsed)
    rows = load_rows(benchmark, split, settings_text(benchmark.scoring_settings(parsed)), source)
    return [row if row["settings"] == text else row | {"settings": text} for row in rows]


def known_figures(benchmark: Benchmark, split: str) -> Mapping[str, Collection[str]]:
    """Return paper id -> files of its figures; {} for benchmarks without papers.

    Raises as `load_rows`.
    """
    return figures_of(_source(split), split) if benchmark.name == SPIQA.name else {}


def _loaded(name: str | Benchmark, split: str, settings: str, source: Source | None) -> Any:
    benchmark = BENCHMARKS[name] if isinstance(name, str) else name
    if split not in benchmark.splits:
        raise InputError(
            f"Expected a split of {benchmark.name} among {', '.join(benchmark.splits)}; found"
            f" {split!r}."
        )
    source = source or _source(split)
    with said_if_slow(f"reading the questions of {benchmark.name}, {split}"):
        rows = benchmark.load(source, split, benchmark.parse(settings))
    logger.info(
        "%d questions of %s, %s (%s), from %s", len(rows), benchmark.name, split, settings, source
    )
    return rows


def _source(split: str) -> Source:
    return demo_source() if split.startswith("demo") else default_source()


def is_there(source: Source, benchmark: str, split: str, settings: str) -> bool:
    """Return whether all files of a task are on this machine."""
    entry = BENCHMARKS[benchmark]
    files = entry.files(split, entry.parse(settings))
    return split.startswith("demo") or all(_has(source, *each) for each in files)


def _has(source: Source, repository: Repository, pattern: str) -> bool:
    if isinstance(source, HubSource):
        source = HubSource(fetches=False)
    if (
        pattern.endswith(".zip")
        and source.folder(repository, pattern.removesuffix(".zip")) is not None
    ):
        return True
    with suppress(DataError):
        return bool(source.files(repository, pattern))
    return False
