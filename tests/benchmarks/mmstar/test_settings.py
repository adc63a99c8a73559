"""Settings that say what an MMStar task shows."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError


def test_other_numbers_of_shots_are_refused() -> None:
    """There are two shots or none."""
    with pytest.raises(InputError, match="shots to be one of 0, 2"):
        load_rows("mmstar", "demo", "shots=1")
