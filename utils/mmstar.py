"""What only the MMStar YAMLs call."""

from __future__ import annotations

import datasets

from .dataset import rows_of


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: one row per question."""
    return rows_of("mmstar", stub)
