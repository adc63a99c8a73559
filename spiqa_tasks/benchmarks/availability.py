"""Whether a task's release files are there, without fetching or reading them."""

from __future__ import annotations

from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import HubSource, LocalSource, Repository, Source

SMALL = "_224px.zip"
"""What the names of archives end in whose pictures can be made from the full ones."""


def is_there(source: Source, benchmark: str, split: str, settings: str) -> bool:
    """Return whether everything that a task reads is in the local folder or in the hub's cache.

    A table of one's own that lies on this machine is read.
    """
    entry = BENCHMARKS[benchmark]
    files = entry.files(split, entry.parse(settings))
    if entry.definition is not None and not files:
        try:
            return entry.splits[split] > 0
        except DataError:
            return False
    return split.startswith("demo") or all(
        _has(source, repository, pattern)
        or (pattern.endswith(SMALL) and _has(source, repository, pattern.replace(SMALL, ".zip")))
        for repository, pattern in files
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
