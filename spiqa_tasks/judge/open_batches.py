"""Batches that were handed over and not collected yet: one small file each, beside the cache of verdicts."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.judge.config import JudgeConfig

FOLDER = "batches"


@dataclass(frozen=True)
class OpenBatch:
    """A batch of requests.

    Attributes:
        judge, url: whom it was handed to.
        tops: for each entry's key, how many log-probabilities it asks for; None: a written answer.
        since: the Unix time in seconds just before it was handed over.
        id: its name at the server; None while nobody knows whether it arrived.
    """

    judge: str
    url: str
    tops: Mapping[str, int | None]
    since: float
    id: str | None = None

    @property
    def tag(self) -> str:
        """Sixteen hexadecimal digits that stand for its entries."""
        return hashlib.sha256("\n".join(sorted(self.tops)).encode()).hexdigest()[:16]


class OpenBatches:
    """The open batches of one judge; what is written here is there after a kill."""

    def __init__(self, config: JudgeConfig, cache_dir: Path) -> None:
        self._config = config
        self.folder = cache_dir / FOLDER

    def __iter__(self) -> Iterator[OpenBatch]:
        """Yield the judge's open batches, the oldest first; files that cannot be read are left alone."""
        found = [batch for path in self.folder.glob("*.json") if (batch := _read(path)) is not None]
        mine = [batch for batch in found if (batch.judge, batch.url) == (self._config.name, self._config.url)]
        return iter(sorted(mine, key=lambda batch: batch.since))

    def begin(self, tops: Mapping[str, int | None]) -> OpenBatch:
        """Write down that a batch of these entries is about to be handed over."""
        return self._keep(OpenBatch(self._config.name, self._config.url, tops, time.time()))

    def arrived(self, batch: OpenBatch, name: str) -> OpenBatch:
        """Write down the server's name for it."""
        return self._keep(replace(batch, id=name))

    def forget(self, batch: OpenBatch) -> None:
        """Remove it: its answers are in the cache, or it never arrived."""
        self._path(batch).unlink(missing_ok=True)

    def _keep(self, batch: OpenBatch) -> OpenBatch:
        write_atomically(self._path(batch), json.dumps(asdict(batch)).encode())
        return batch

    def _path(self, batch: OpenBatch) -> Path:
        return self.folder / f"{batch.tag}.json"


def _read(path: Path) -> OpenBatch | None:
    try:
        return OpenBatch(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
