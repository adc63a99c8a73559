"""Verdicts that are still on their way."""

from __future__ import annotations

from typing import Protocol

from spiqa_tasks.judge.types import Verdict


class Pending(Protocol):
    """A verdict on its way."""

    def done(self) -> bool:
        """Return whether the verdict is there."""

    def result(self, timeout: float | None = None) -> Verdict:
        """Return the verdict, waiting for it; TimeoutError after `timeout` seconds."""
