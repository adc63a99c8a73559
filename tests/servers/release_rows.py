"""Rows of a benchmark from a given source, whatever data folder the environment names."""

from typing import Any

from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.files.source import Source


def rows_in(name: str, split: str, settings: str, source: Source) -> list[dict[str, Any]]:
    """Return the rows of a task, as `load_rows` does."""
    benchmark = BENCHMARKS[name]
    return [dict(row) for row in benchmark.load(source, split, benchmark.parse(settings))]
