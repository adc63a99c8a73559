"""The registered benchmarks, the tasks that YAMLs define, and how the rows of a task are loaded."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.answers import CHOICE_ANSWERS, FREE_ANSWERS
from spiqa_tasks.benchmarks.benchmark import Benchmark, Row, settings_text
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.scifibench.definition import SCIFIBENCH
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.benchmarks.spiqa.release import papers_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import Source, default_source, demo_source
from spiqa_tasks.printable import progress

# Name -> benchmark with a release.
BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark for benchmark in (SPIQA, MMSTAR, SCIFIBENCH)
}
# And those of answers that have no task.
ALL_BENCHMARKS = BENCHMARKS | {
    benchmark.name: benchmark for benchmark in (FREE_ANSWERS, CHOICE_ANSWERS)
}


@dataclass(frozen=True)
class Task:
    """A task of this package's benchmarks, as its YAML defines it.

    Attributes:
        settings_text: `dataset_name` of the YAML.
        kept: ids of the questions that a filter kept, or None.
        length: maximum number of generated tokens of a response, if known.
        only: names of the metrics to compute; () for all.
    """

    name: str
    benchmark_name: str
    split: str
    settings_text: str
    kept: frozenset[str] | None = None
    length: int | None = None
    only: tuple[str, ...] = ()

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark, with the metrics that are to be computed."""
        benchmark = ALL_BENCHMARKS[self.benchmark_name]
        return benchmark.with_metrics(self.only) if self.only else benchmark

    @property
    def settings(self) -> Any:
        """The parsed settings."""
        return self.benchmark.parse(self.settings_text)

    @property
    def metrics(self) -> Sequence[Metric]:
        """The task's metrics, the headline first, also those that cannot be computed here."""
        return self.benchmark.metrics(self.settings)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The names of the task's metrics, the headline first: `("l3score", "meteor", ...)`."""
        return tuple(metric.name for metric in self.metrics)

    def with_metrics(self, names: Sequence[str]) -> Task:
        """Return the task with only these metrics; InputError for an unknown one."""
        for name in names:
            if name not in self.metric_names:
                known = ", ".join(self.metric_names)
                raise InputError(
                    f"Expected metrics of {self.name} ({known}), found {name}. Correct --metrics."
                )
        return dataclasses.replace(self, only=tuple(names))

    @property
    def questions(self) -> int:
        """The number of questions."""
        if self.kept is not None:
            return len(self.kept)
        size = self.benchmark.splits[self.split]
        return min(size, getattr(self.settings, "sample", 0) or size)


def task_of(config: Mapping[str, Any]) -> Task | None:
    """Return the task that a YAML's values define, or None for a host's."""
    metadata = config.get("metadata")
    name = metadata.get("benchmark") if isinstance(metadata, Mapping) else None
    if name not in ALL_BENCHMARKS or "test_split" not in config:
        return None
    generation = config.get("generation_kwargs") or {}
    return Task(
        str(config["task"]),
        name,
        str(config["test_split"]),
        str(config.get("dataset_name") or ""),
        length=generation.get("max_new_tokens"),
    )


def benchmark_of(row: Row) -> Benchmark:
    """Return the benchmark of a row."""
    return BENCHMARKS[row["benchmark"]]


def yaml_folder() -> Path:
    """Return the folder of the package's own task YAMLs, for the host's `--include_path`."""
    return Path(str(resources.files("spiqa_tasks.yaml_configs")))


def load_table(name: str, split: str, settings: str) -> Any:
    """Return the rows of a task as a pyarrow table; see `load_rows`."""
    import pyarrow

    return pyarrow.Table.from_pylist(load_rows(name, split, settings))


def load_rows(name: str, split: str, settings: str) -> list[Row]:
    """Return the rows of a task; `settings` is the text of its `dataset_name`.

    The release files are the shipped ones for `demo...`, else those of `default_source`. Raises
    InputError: unknown split or settings; DataError: files missing, unreadable or not in the
    release's format.
    """
    benchmark = ALL_BENCHMARKS[name]
    if split not in benchmark.splits:
        raise InputError(
            f"Expected a split of {name} among {', '.join(benchmark.splits)}; found {split!r}."
        )
    source = _source(split)
    with progress(f"reading the questions of {name}, {split}"):
        return benchmark.load(source, split, benchmark.parse(settings))


def rows_for_scoring(name: str, split: str, settings: str) -> list[Row]:
    """Return the rows for scoring: those of `load_rows`, but no picture archive and no full text
    is read.
    """
    benchmark = ALL_BENCHMARKS[name]
    parsed = benchmark.parse(settings)
    rows = load_rows(name, split, settings_text(benchmark.scoring_settings(parsed)))
    return [{**row, "settings": settings_text(parsed)} for row in rows]


def _source(split: str) -> Source:
    """Return where a split is read from: the package, or the hub or folder."""
    return demo_source() if split.startswith("demo") else default_source()


def known_figures(name: str, split: str) -> Mapping[str, Collection[str]]:
    """Return paper id -> files of its figures; {} for benchmarks without papers.

    Raises as `load_rows`.
    """
    if name != SPIQA.name:
        return {}
    papers = papers_of(_source(split), split)
    # Copies, as views would keep the captions of the train split in memory.
    return {paper.paper_id: frozenset(paper.figures) for paper in papers}
