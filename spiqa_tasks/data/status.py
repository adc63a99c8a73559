"""Whether a task's data is there, without fetching or reading it."""

from __future__ import annotations

from collections.abc import Mapping

from spiqa_tasks.data import mmstar, scifibench, spiqa
from spiqa_tasks.data.source import MMSTAR, SCIFIBENCH, SPIQA, HubSource, LocalSource, Repository, Source
from spiqa_tasks.errors import DataError
from spiqa_tasks.settings import parse_settings
from spiqa_tasks.tasks import Task

SMALL = "_224px.zip"
"""What the names of archives end in whose pictures can be made from the full ones."""

QUESTIONS: Mapping[tuple[str, str], int] = {
    ("spiqa", "testA"): 666,
    ("spiqa", "testB"): 228,
    ("spiqa", "testC"): 493,
    ("spiqa", "val"): 2085,
    ("spiqa", "train"): 262524,
    ("spiqa", "demo"): 39,
    ("mmstar", "val"): 1500,
    ("mmstar", "demo"): 24,
    **{("scifibench", split): 500 for split in scifibench.SPLITS if split[-7:] in ("fig2cap", "cap2fig")},
    ("scifibench", "captioning"): 100,
    ("scifibench", "demo"): 24,
    ("scifibench", "demo_fig2cap"): 12,
    ("scifibench", "demo_cap2fig"): 12,
}
"""(benchmark, split) -> number of questions of the whole release (SPIQA Table 4; MMStar 4.2; SciFIBench Table 1)."""


def needed(task: Task) -> list[tuple[Repository, str]]:
    """The (repository, file pattern) pairs a task reads; a picture archive may be an extracted folder instead."""
    if task.benchmark == "mmstar":
        return [(MMSTAR, mmstar.FILE)]
    if task.benchmark == "scifibench":
        return [(SCIFIBENCH, f"data/{name}-*.parquet") for name in scifibench.SPLITS[task.split]]
    files = spiqa.SPLITS[task.split]
    settings = parse_settings(spiqa.SpiqaSettings, task.settings)
    patterns = [files.annotations]
    if settings.shows_pictures:
        small = files.small_pictures if settings.resolution == "224px" else None
        patterns.append(small or files.pictures)
    if settings.setting == "fullpaper" and files.annotation_format == "A":
        patterns.append(spiqa.PARAGRAPHS)
    return [(SPIQA, pattern) for pattern in patterns]


def is_there(source: Source, task: Task) -> bool:
    """Whether everything that `task` reads is in the local folder or in the hub's cache."""
    return task.split.startswith("demo") or all(
        _has(source, repository, pattern)
        or (pattern.endswith(SMALL) and _has(source, repository, pattern.replace(SMALL, ".zip")))
        for repository, pattern in needed(task)
    )


def _has(source: Source, repository: Repository, pattern: str) -> bool:
    if isinstance(source, LocalSource):
        if pattern.endswith(".zip") and source.folder(repository, pattern.removesuffix(".zip")) is not None:
            return True
        try:
            return bool(source.files(repository, pattern))
        except DataError:
            return False
    return isinstance(source, HubSource) and source.is_cached(repository, pattern)
