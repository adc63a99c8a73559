"""Numbers as people read them."""

import json
import math

import pytest

from spiqa_tasks.scoring.units import percent, without_nan


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), (0.0, "0.0"), (0.5214, "52.1"), (1.0, "100.0"), (-0.0206, "-2.1")]
)
def test_values_are_shown_times_100_with_one_decimal(value: float | None, shown: str) -> None:
    """A value that is not there is a dash, never a zero."""
    assert percent(value) == shown


def test_what_is_not_a_number_is_null_in_json() -> None:
    """NaN becomes null wherever it stands; everything else stays."""
    given = {"value": math.nan, "interval": [0.5, math.nan], "n": 3, "groups": [{"score": math.nan, "name": "nan"}]}
    expected = '{"value": null, "interval": [0.5, null], "n": 3, "groups": [{"score": null, "name": "nan"}]}'
    assert json.dumps(without_nan(given)) == expected
