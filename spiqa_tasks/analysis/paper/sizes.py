"""Accuracy by length of the caption and by size of the figures (SciFIBench, Figure 8)."""

from collections.abc import Callable, Mapping
from typing import Any

from spiqa_tasks.analysis.breakdown import GroupValue, value_over
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.release import (
    SciFIBenchSettings,
    caption_length,
    figure_size,
)
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.binning import bin_index, quantile_bins

BINS = 5
"""Bins of equal count, as in the figure."""

MEASURES: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "caption_length": caption_length,
    "figure_size": figure_size,
}
"""What the questions are grouped by -> its measure of a row."""


def by_size(run: Run, metric: Metric, measure: str) -> list[GroupValue]:
    """Return a row per bin of caption lengths in words, or of figure sizes in pixels.

    Raises DataError: the questions' data is not there.
    """
    settings = run.settings
    # the same questions with their pictures, whatever else the model was shown
    shown = SciFIBenchSettings(
        negatives=settings.negatives, shuffle=settings.shuffle, seed=settings.seed
    )
    rows = load_rows(run.own.benchmark, run.own.split, settings_text(shown))
    records = {record.id: record for record in run.questions}
    sizes = {row["id"]: MEASURES[measure](row) for row in rows if row["id"] in records}

    bins = quantile_bins(list(sizes.values()), BINS)
    members: list[list[Record]] = [[] for _ in bins]
    for key, size in sizes.items():
        members[bin_index(size, bins)].append(records[key])

    return [
        value_over(run, metric, f"{low:.0f} to {high:.0f}", of_bin)
        for (low, high), of_bin in zip(bins, members, strict=True)
    ]
