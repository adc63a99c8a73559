"""Numbers as people read them."""

import json
import math

import pytest

from spiqa_tasks.scoring.units import number, p_value, percent, plain, without_nan


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *((percent(0.0), "0.0"), (percent(0.5214), "52.1"), (percent(-0.0206), "-2.1"), (percent(None), "-")),
        *((number(0.5), "50.0"), (number(0.5, 0.25, 0.75), "50.0 [25.0, 75.0]"), (number(0.5, 0.25), "50.0")),
        *((number(-0.0625, -0.1, 0.0), "-6.2 [-10.0, 0.0]"), (number(None), "-"), (number(math.nan, 0.1, 0.2), "-")),
        *((p_value(0.0), "< 0.001"), (p_value(0.00099), "< 0.001"), (p_value(0.001), "0.001"), (p_value(1.0), "1.000")),
        *((p_value(math.nan), "-"), (plain(None), "-"), (plain(0.0167), "0.017")),
    ],
)
def test_numbers_are_shown(text: str, shown: str) -> None:
    """Shares times 100 with their interval, a dash where there is none, and no p-value of 0."""
    assert text == shown


def test_what_is_not_a_number_is_null_in_json() -> None:
    """NaN becomes null wherever it stands; everything else stays."""
    given = {"value": math.nan, "interval": [0.5, math.nan], "n": 3, "groups": [{"score": math.nan, "name": "nan"}]}
    expected = '{"value": null, "interval": [0.5, null], "n": 3, "groups": [{"score": null, "name": "nan"}]}'
    assert json.dumps(without_nan(given)) == expected
