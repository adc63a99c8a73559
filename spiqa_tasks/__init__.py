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

# Public name -> the module that defines it.
_MODULES = {
    "L3Score": "spiqa_tasks.l3score_metric",
    "load_samples": "spiqa_tasks.runs.frame",
    "value": "spiqa_tasks.runs.frame",
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use: `import spiqa_tasks` alone imports neither numpy nor
    pandas.
    """
    if name == "published":
        return importlib.import_module("spiqa_tasks.published")
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, also those that are not imported yet."""
    return [*__all__]
