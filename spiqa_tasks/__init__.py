"""SPIQA, MMStar and SciFIBench as tasks of lmms-eval, and the L3Score metric on its own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spiqa_tasks import published
    from spiqa_tasks.l3score_metric import L3Score
    from spiqa_tasks.runs.frame import load_samples, value

__version__ = "0.3.0"
__all__ = ["L3Score", "__version__", "load_samples", "published", "value"]


def __getattr__(name: str) -> Any:
    """Return what is loaded on first use, so that importing the package imports nothing else."""
    if name == "L3Score":
        from spiqa_tasks.l3score_metric import L3Score

        return L3Score
    if name in ("load_samples", "value"):
        return getattr(importlib.import_module("spiqa_tasks.runs.frame"), name)
    if name == "published":
        return importlib.import_module("spiqa_tasks.published")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, those included that are loaded on first use."""
    return [*__all__]
