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


BENCHMARKS = {
    "spiqa": Benchmark(spiqa.SpiqaSettings, spiqa.load, spiqa.SPLITS),
    "mmstar": Benchmark(mmstar.MMStarSettings, mmstar.load, ("val", "demo")),
    "scifibench": Benchmark(scifibench.SciFIBenchSettings, scifibench.load, scifibench.SPLITS),
}


def load_rows(benchmark: str, split: str, settings: str, source: Source | None = None) -> list[dict[str, Any]]:
    """The rows of a task: the split named `demo` comes from the package, others from `source` (default: see there).

    Raises:
        InputError: unknown split or settings.
        DataError: see the benchmark's loader.
    """
    entry = BENCHMARKS[benchmark]
    if split not in entry.splits:
        raise InputError(f"Expected a split of {benchmark} among {', '.join(entry.splits)}; found {split!r}.")
    if source is None:
        source = demo_source() if split == "demo" else default_source()
    return entry.load(source, split, parse_settings(entry.settings, settings))
