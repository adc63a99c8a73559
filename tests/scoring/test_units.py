"""Numbers as people read them."""

from __future__ import annotations

import pytest

from spiqa_tasks.scoring.units import percent


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), (0.0, "0.0"), (0.5214, "52.1"), (1.0, "100.0"), (-0.0206, "-2.1")]
)
def test_values_are_shown_times_100_with_one_decimal(value: float | None, shown: str) -> None:
    """A value that is not there is a dash, never a zero."""
    assert percent(value) == shown
