"""Verdicts that are still on their way, and records that wait for one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from spiqa_tasks.judge.types import Verdict


class Pending(Protocol):
    """A verdict on its way."""

    def done(self) -> bool:
        """Whether the verdict is there."""

    def result(self, timeout: float | None = None) -> Verdict:
        """The verdict, waiting for it; TimeoutError after `timeout` seconds."""


_resolving = threading.RLock()


class JudgedRecord(dict[str, Any]):
    """A record of a scored answer whose judged fields are filled in when the verdict is there.

    `fields` is what is known at once; `fill` turns the verdict into the fields that replace or join it. Until then
    `status` is "pending". `resolve` fills the record in place; pickling, `copy.copy`, `copy.deepcopy` and `.copy()`
    wait for the verdict and give a plain dict, so records gathered from other processes are always complete.
    Without a `pending` the record is complete from the start.
    """

    __slots__ = ("_fill", "_pending")

    def __init__(
        self,
        fields: Mapping[str, Any],
        pending: Pending | None = None,
        fill: Callable[[Verdict], Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(fields)
        self._pending = pending
        self._fill = fill
        if pending is not None:
            self["status"] = "pending"

    @property
    def pending(self) -> Pending | None:
        """The verdict this record waits for; None once it is filled in."""
        return self._pending

    def resolve(self) -> dict[str, Any]:
        """Fill in the judged fields, waiting for the verdict; safe to call again and from several threads."""
        pending = self._pending
        if pending is not None:
            verdict = pending.result()
            with _resolving:
                if self._pending is not None and self._fill is not None:
                    self.update(self._fill(verdict))
                self._pending = None
        return self

    def copy(self) -> dict[str, Any]:
        """A plain dict with the judged fields filled in."""
        return dict(self.resolve())

    def __reduce_ex__(self, protocol: object) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self.copy(),)
