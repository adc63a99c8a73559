"""Benchmarks of one's own: data, and a YAML that names its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_definition(values: Mapping[str, Any]) -> bool:
    """Return whether a YAML's values are a benchmark of one's own.

    It stands here because every command asks it, and pydantic, which `definition` imports, takes 0.1 s to import.
    """
    return "benchmark" in values and "data" in values and "task" not in values
