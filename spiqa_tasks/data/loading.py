"""One way to the rows of any benchmark, for the host's hooks, the command and VLMEvalKit alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.data import mmstar, scifibench, spiqa
from spiqa_tasks.data.source import Source, default_source, demo_source
from spiqa_tasks.errors import InputError
from spiqa_tasks.settings import parse_settings, settings_text


@dataclass(frozen=True)
class Benchmark:
    """How a benchmark's rows are loaded; `lean` has the settings that leave out what scoring does not need."""

    settings: type[Any]
    load: Callable[[Source, str, Any], list[dict[str, Any]]]
    splits: Collection[str]
    lean: Callable[[Any], Mapping[str, str]] = lambda _: {"ablation": "text"}


BENCHMARKS = {
    "spiqa": Benchmark(spiqa.SpiqaSettings, spiqa.load, spiqa.SPLITS, spiqa.lean),
    "mmstar": Benchmark(mmstar.MMStarSettings, mmstar.load, ("val", "demo")),
    "scifibench": Benchmark(scifibench.SciFIBenchSettings, scifibench.load, scifibench.SPLITS),
}


def load_rows(
    benchmark: str, split: str, settings: str, source: Source | None = None, for_scoring: bool = False
) -> list[dict[str, Any]]:
    """The rows of a task: the split named `demo` comes from the package, others from `source` (default: see there).

    `for_scoring` needs neither picture archives nor full texts: ids, questions, answers, groups, the order of figures
    and the settings text are the same, paths and full texts are empty.

    Raises:
        InputError: unknown split or settings.
        DataError: see the benchmark's loader.
    """
    entry = BENCHMARKS[benchmark]
    if split not in entry.splits:
        raise InputError(f"Expected a split of {benchmark} among {', '.join(entry.splits)}; found {split!r}.")
    if source is None:
        source = demo_source() if split == "demo" else default_source()
    parsed = parse_settings(entry.settings, settings)
    if not for_scoring:
        return entry.load(source, split, parsed)
    rows = entry.load(source, split, dataclasses.replace(parsed, **entry.lean(parsed)))
    own = dataclasses.asdict(parsed)
    for row in rows:
        row.update({key: own[key] for key in row.keys() & own.keys()}, settings=settings_text(parsed))
    return rows
