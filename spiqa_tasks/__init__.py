"""SPIQA, MMStar and SciFIBench as tasks of lmms-eval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spiqa_tasks.l3score_metric import L3Score

__all__ = ["L3Score"]


def __getattr__(name: str) -> Any:
    """L3Score on first use, so that importing the package imports nothing else."""
    if name == "L3Score":
        from spiqa_tasks.l3score_metric import L3Score

        return L3Score
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
