"""Accuracy by category, caption length and figure size, with Wilson intervals (SciFIBench section 4.5, Table 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from PIL import Image

from spiqa_tasks.analysis.choice_runs import Answers
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.binning import bin_index, quantile_bins
from spiqa_tasks.scoring.intervals import wilson

By = Literal["category", "caption_length", "figure_size"]


@dataclass(frozen=True)
class Group:
    """Accuracy, 0 to 1, over the `n` answered questions of one group, with its 95% Wilson interval.

    `low_value` and `high_value` are the ends of a bin (None for a category).
    """

    model: str
    task: str
    group: str
    n: int
    accuracy: float
    low: float
    high: float
    low_value: float | None = None
    high_value: float | None = None


def by_category(answers: Answers) -> list[Group]:
    """One group per category, in the order of the alphabet, then `all`."""
    categories = {key: str(record["category"]) for key, record in answers.records.items()}
    members = {
        name: [key for key in categories if categories[key] == name] for name in sorted(set(categories.values()))
    }
    return [_group(answers, name, ids) for name, ids in {**members, "all": list(categories)}.items()]


def by_property(answers: Answers, by: By, bins: int) -> list[Group]:
    """One group per bin of the true caption's length in words, or of the figures' mean size in pixels (area).

    Raises:
        InputError: not SciFIBench, or fewer than one bin.
        DataError: the questions' data is not there.
    """
    if answers.benchmark != "scifibench" or bins < 1:
        raise InputError(f"Expected a SciFIBench task and at least one bin, found {answers.task} and {bins} bins.")
    values = {key: value for key, value in _properties(answers, _MEASURES[by]).items() if key in answers.records}
    edges = quantile_bins(list(values.values()), bins)
    groups = []
    for index, (low, high) in enumerate(edges):
        ids = [key for key, value in values.items() if bin_index(value, edges) == index]
        groups.append(_group(answers, f"{low:.0f} to {high:.0f}", ids, low, high))
    return groups


def _group(answers: Answers, name: str, ids: list[str], *ends: float) -> Group:
    known = answers.scores
    scores = [known[key] for key in ids if key in known]
    hits = round(sum(scores))
    share = hits / len(scores) if scores else float("nan")
    return Group(answers.model, answers.task, name, len(scores), share, *wilson(hits, len(scores)), *ends)


def _properties(answers: Answers, measure: Callable[[Mapping[str, Any]], float]) -> dict[str, float]:
    """Question id -> property, from the pictures as released, whatever the run showed."""
    settings = dict(item.partition("=")[::2] for item in answers.settings.split(","))
    kept = {key: settings[key] for key in ("negatives", "shuffle", "seed") if key in settings}
    text = ",".join(f"{key}={value}" for key, value in kept.items())
    return {row["id"]: measure(row) for row in load_rows("scifibench", answers.split, text)}


def _caption_length(row: Mapping[str, Any]) -> float:
    return float(len(row["caption"].split()))


def _figure_size(row: Mapping[str, Any]) -> float:
    sizes = []
    for path in row["images"]:
        with Image.open(path) as image:
            sizes.append(image.width * image.height)
    return sum(sizes) / len(sizes)


_MEASURES: dict[By, Callable[[Mapping[str, Any]], float]] = {
    "caption_length": _caption_length,
    "figure_size": _figure_size,
}
