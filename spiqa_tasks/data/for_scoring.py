"""The rows of a task without what only its model needs: neither picture archives nor full texts are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.data.loading import BENCHMARKS, load_rows
from spiqa_tasks.data.source import Source
from spiqa_tasks.settings import parse_settings, settings_text

NOT_SHOWN: Mapping[str, Mapping[str, Any]] = {
    "spiqa": {"ablation": "text"},
    "mmstar": {"ablation": "text"},
    "scifibench": {"ablation": "text", "ocr": "no", "shots": 0, "shot_kind": "random", "encoder": ""},
}
"""Benchmark -> the settings under which no picture is read, and no example chosen."""


def rows_for_scoring(benchmark: str, split: str, settings: str, source: Source | None = None) -> list[dict[str, Any]]:
    """The rows with the same ids, questions, answers, groups, figure order and settings text as `load_rows`.

    Paths of pictures and full texts are empty.

    Raises:
        InputError: unknown split or settings.
        DataError: the annotations are missing or unreadable.
    """
    parsed = parse_settings(BENCHMARKS[benchmark].settings, settings)
    changes = dict(NOT_SHOWN[benchmark])
    if getattr(parsed, "setting", "") == "fullpaper":
        changes["setting"] = "direct"
    rows = load_rows(benchmark, split, settings_text(dataclasses.replace(parsed, **changes)), source)
    for row in rows:
        row["settings"] = settings_text(parsed)
    return rows
