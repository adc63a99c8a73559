"""One way to the rows of any benchmark, for the host's hooks, the command and VLMEvalKit alike."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.data import mmstar, scifibench, spiqa
from spiqa_tasks.data.source import Source, default_source, demo_source
from spiqa_tasks.errors import InputError
from spiqa_tasks.settings import parse_settings


@dataclass(frozen=True)
class Benchmark:
    """How a benchmark's rows are loaded."""

    settings: type[Any]
    load: Callable[[Source, str, Any], list[dict[str, Any]]]
    splits: Collection[str]
    load_table: Callable[[Source, str, Any], Any] | None = None


BENCHMARKS = {
    "spiqa": Benchmark(spiqa.SpiqaSettings, spiqa.load, spiqa.SPLITS, spiqa.load_table),
    "mmstar": Benchmark(mmstar.MMStarSettings, mmstar.load, ("val", "demo")),
    "scifibench": Benchmark(scifibench.SciFIBenchSettings, scifibench.load, scifibench.SPLITS),
}


def load_rows(benchmark: str, split: str, settings: str, source: Source | None = None) -> list[dict[str, Any]]:
    """The rows of a task: splits named `demo...` come from the package, others from `source` (default: see there).

    Raises:
        InputError: unknown split or settings.
        DataError: see the benchmark's loader.
    """
    entry, source, parsed = _resolve(benchmark, split, settings, source)
    return entry.load(source, split, parsed)


def load_table(benchmark: str, split: str, settings: str, source: Source | None = None) -> Any:
    """The same rows as a pyarrow table; for SPIQA's train split in a tenth of the memory. Raises as `load_rows`."""
    import pyarrow

    entry, source, parsed = _resolve(benchmark, split, settings, source)
    if entry.load_table is not None:
        return entry.load_table(source, split, parsed)
    return pyarrow.Table.from_pylist(entry.load(source, split, parsed))


def _resolve(benchmark: str, split: str, settings: str, source: Source | None) -> tuple[Benchmark, Source, Any]:
    entry = BENCHMARKS[benchmark]
    if split not in entry.splits:
        raise InputError(f"Expected a split of {benchmark} among {', '.join(entry.splits)}; found {split!r}.")
    if source is None:
        source = demo_source() if split.startswith("demo") else default_source()
    return entry, source, parse_settings(entry.settings, settings)
